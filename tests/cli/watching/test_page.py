"""The page on watching shows what the code does."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import tomli
import yaml
from page_blocks import blocks, copy_example
from watching import BROKEN

from fusion_contracts.cli.app import parameters

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def fenced(root: Path, language: str) -> list[str]:
    text = (root / "docs" / "watch.md").read_text(encoding="utf-8")
    return blocks(text, language)


@pytest.fixture
def example(project: Any, root: Path) -> Any:
    """The bundled example, locked at its first release."""
    copy_example(root, project.folder)
    assert project.run("lock", "--name", "helpdesk", "--", sys.executable, "helpdesk_v1.py").code == 0
    return project


def test_it_shows_what_a_run_prints(root: Path, example: Any) -> None:
    (block,) = fenced(root, "console")
    command, _, shown = block.partition("\n")
    assert command == "$ fusion watch --once -- python3 helpdesk_v2.py"
    result = example.run("watch", "--once", "--", sys.executable, "helpdesk_v2.py")
    first, middle, last = result.err.replace("starting python ", "starting python3 ").splitlines()
    printed = "\n".join([first, middle, result.out.rstrip("\n"), last, ""])
    assert re.sub(TIME, "TIME", printed) == re.sub(TIME, "TIME", shown)


def test_it_shows_an_event(root: Path, example: Any) -> None:
    shown = json.loads(fenced(root, "json")[0])
    result = example.run("watch", "--once", "--format", "json", "--", sys.executable, "helpdesk_v2.py")
    events = [json.loads(line) for line in result.out.splitlines()]
    (real,) = [one for one in events if one["finding"]["rule"] == "enum-value-removed"]
    assert {**shown, "id": real["id"], "time": real["time"]} == real
    assert list(shown) == list(real)


def test_its_receiver_takes_each_event_once(root: Path, pages: Any) -> None:
    code, last = fenced(root, "python")[0].rstrip("\n").rsplit("\n", 1)
    assert last == 'HTTPServer(("127.0.0.1", 8080), Receiver).serve_forever()'
    serving = 'server = HTTPServer(("127.0.0.1", 0), Receiver)\nprint(server.server_address[1])\nserver.serve_forever()'
    command = [sys.executable, "-u", "-c", f"{code}\n{serving}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/"
        pages.serve("pages", BROKEN)
        result = pages.run("watch", "--once", "--format", "json", "--webhook", url)
        with urlopen(Request(url, data=result.out.encode(), method="POST")) as again:  # the same event
            assert again.status == 204
        process.terminate()
        assert process.stdout.read() == "finding pages when no longer accepts 'later'\n"


def test_its_commands_and_settings_use_options_that_there_are(root: Path) -> None:
    known = {word for one in parameters("watch") for word in one.opts}
    workflow = yaml.safe_load(fenced(root, "yaml")[0])
    steps = [step["run"] for step in workflow["jobs"]["watch"]["steps"] if "run" in step]
    unit = re.findall(r"^ExecStart=\S+/(.*)$", fenced(root, "ini")[0], re.MULTILINE)
    lines = [line for block in fenced(root, "sh") for line in block.splitlines()]
    commands = [line[line.index("fusion watch") :] for line in (*lines, *steps, *unit) if "fusion watch" in line]
    assert len(commands) == 7
    used = {word for line in commands for word in shlex.split(line, comments=True) if word.startswith("-")}
    assert used <= known
    (table,) = (tomli.loads(block)["watch"] for block in fenced(root, "toml"))
    assert {f"--{key}" for key in table} <= known


def test_every_option_of_its_own_is_told_on_the_page(root: Path) -> None:
    page = (root / "docs" / "watch.md").read_text(encoding="utf-8")
    shared = {"-C", "--config", "--lockfile", "--help", "--server", "-o", "-h", "--world", "source"}
    own = {word for one in parameters("watch") for word in one.opts} - shared
    assert own - set(re.findall(r"--?[a-z-]+", page)) == set()


def test_starting_the_help_loads_nothing_of_a_watch(tmp_path: Path) -> None:
    code = "import sys; from fusion_contracts.cli import main; main(['--help']); print([*sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "watch " in done.stdout
    assert "watching" not in done.stderr
    assert "sqlite3" not in done.stderr
