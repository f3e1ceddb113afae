"""The README tells the truth: every command that it shows is run here and prints what the README prints.

Commands stand in `console` blocks behind `$ `. They are run one after the other in a copy of the bundled example, as a
reader would run them; only what sets up the environment is left to the network tests and to `.ci/run`.
`python tests/test_readme.py` writes what they print now into the README.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fusion_contracts import ContractAwareness, explain_validation, load

SET_UP = "python3 -m venv .venv && . .venv/bin/activate && pip install -q . && cd fixtures/example && "
TEST_LINE = re.compile(r"^<!-- the test line -->\n```sh\n(.+)\n```$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@pytest.fixture
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def example(root: Path, tmp_path: Path) -> Path:
    return copy_example(root, tmp_path)


def copy_example(root: Path, parent: Path) -> Path:
    """The bundled example in a repository of its own, as it is in a checkout."""
    folder = parent / "example"
    folder.mkdir()
    for path in (root / "fixtures" / "example").glob("*.py"):
        shutil.copy(path, folder)
    author = ("-c", "user.name=reader", "-c", "user.email=reader@example.com")
    for arguments in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "example")):
        subprocess.run(["git", *arguments], cwd=folder, check=True, env=environment())
    return folder


def environment(**more: str) -> dict[str, str]:
    """What a reader's shell has: the installed commands, and nothing of CI or of a terminal."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": path, "PYTHONUNBUFFERED": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"} | more


def blocks(text: str, language: str) -> list[str]:
    return [block for name, block in BLOCK.findall(text) if name == language]


def shell(command: str, folder: Path, **more: str) -> str:
    """What a command prints, on standard output and standard error as they come."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def printed_now(readme: str, example: Path) -> str:
    """The README with what its commands print today."""

    def run(block: re.Match[str]) -> str:
        if block[1] != "console":
            return block[0]
        lines = [line for line, _ in COMMAND.findall(block[2])]
        return "```console\n" + "".join(f"$ {x}\n{shell(x.removeprefix(SET_UP), example)}" for x in lines) + "```"

    return BLOCK.sub(run, readme)


def test_every_command_prints_what_the_readme_prints(readme: str, example: Path) -> None:
    assert printed_now(readme, example) == readme, "the README is stale: run python tests/test_readme.py, and read it"


def test_the_first_command_sets_up_and_runs_the_main_job(readme: str) -> None:
    first = COMMAND.findall(blocks(readme, "console")[0])[0][0]
    assert first.startswith(SET_UP)
    assert "fusion lock" in first
    assert "fusion diff" in first


@pytest.mark.network
def test_the_first_command_works_in_a_fresh_checkout(readme: str, root: Path, tmp_path: Path) -> None:
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, target)
    line, printed = COMMAND.findall(blocks(readme, "console")[0])[0]
    python3 = tmp_path / "bin" / "python3"
    python3.parent.mkdir()
    python3.symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    said = shell(line, tmp_path, PATH=f"{python3.parent}{os.pathsep}{os.environ['PATH']}")
    ours = [text for text in said.splitlines(keepends=True) if not text.startswith("WARNING: ")]  # pip's settings here
    assert "".join(ours) == printed


def test_the_test_line_is_the_one_that_ci_runs(readme: str, root: Path) -> None:
    found = TEST_LINE.findall(readme)
    assert len(found) == 1
    script = (root / ".ci" / "run").read_text(encoding="utf-8")
    taken = re.search(r"^line=\$\((.+)\)$", script, re.MULTILINE)
    assert taken is not None
    assert subprocess.check_output(["bash", "-c", taken[1]], cwd=root, text=True).strip() == found[0]
    assert 'sh -ec "$line"' in script


def test_the_ci_snippet_is_what_init_writes(readme: str, example: Path) -> None:
    command = re.search(r"`(fusion init -- [^`]+)`", readme)
    assert command is not None
    shell(command[1], example)
    written = (example / ".github" / "workflows" / "fusion.yml").read_text(encoding="utf-8")
    (snippet,) = blocks(readme, "yaml")
    assert snippet in written


def test_the_python_example_runs(readme: str, example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = '{"tools": [{"name": "add", "inputSchema": {"type": "object", "properties": {"%s": {"type": "number"}}}}]}'
    for name, argument in (("old", "a"), ("new", "b")):
        (example / f"{name}.json").write_text(tool % argument, encoding="utf-8")
    monkeypatch.chdir(example)
    *_, code = blocks(readme, "python")
    exec(compile(code, "README.md", "exec"), {})


def test_an_agent_of_version_1_reads_what_the_readme_shows(readme: str, example: Path) -> None:
    for version in ("v1", "v2"):
        own = f"--config {version}.toml --lockfile {version}.lock"  # of one name, and of two versions
        shell(f"fusion lock {own} --name helpdesk -- python3 helpdesk_{version}.py", example)
    old, new = (load(example / f"{version}.lock") for version in ("v1", "v2"))
    tool = new.tools["close_ticket"]
    since = ContractAwareness.between(old, new)
    report = explain_validation(tool.input_schema, {"id": 1}, action=tool.name, awareness=since)
    assert blocks(readme, "xml") == [f"{report.to_xml()}\n"]
    assert report.suggested_arguments == {"ticket_id": 1}


def test_every_link_leads_somewhere(readme: str, root: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", readme)
    assert targets
    assert [target for target in targets if not (root / target).exists()] == []


if __name__ == "__main__":
    checkout = Path(__file__).resolve().parent.parent
    page = checkout / "README.md"
    with tempfile.TemporaryDirectory() as scratch:
        text = printed_now(page.read_text(encoding="utf-8"), copy_example(checkout, Path(scratch)))
    page.write_text(text, encoding="utf-8")
