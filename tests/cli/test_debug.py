"""`--debug`: what a bug report needs, and no secret."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import __version__
from fusion_contracts.sources.hidden_words import hidden_words


def told(text: str) -> list[str]:
    """The lines of `--debug`, without what differs from run to run."""
    lines = [line.removeprefix("debug: ") for line in text.splitlines() if line.startswith("debug: ")]
    return [re.sub(r"^ *\d+\.\d{3} s  \+\d+\.\d{3}  ", "", line) for line in lines]


@pytest.mark.parametrize("words", [("--debug", "lock", "pages.json"), ("lock", "--debug", "pages.json")])
def test_it_tells_versions_the_command_and_every_step(project: Any, close_page: Any, words: tuple[str, ...]) -> None:
    project.catalog("pages.json", close_page)
    result = project.run(*words)
    assert (result.code, result.out) == (0, "wrote fusion.lock: 1 server, 1 tool\n")
    version, packages, command, place, *steps = told(result.err)
    assert version.startswith(f"fusion-contracts {__version__}, Python {sys.version.split()[0]}, ")
    assert re.fullmatch(r"with .*\bpydantic \d[\w.]*, .*\btyper \d[\w.]*", packages)
    assert command == f"runs fusion {' '.join(words)}"
    assert place.startswith("in DIR; standard output is no terminal, UTF-8, COLUMNS=100")
    assert steps == [
        "has found settings in no file",
        "reads the lock fusion.lock",
        "reads catalog",
        "has read catalog",
        "compares pages",
        "writes files",
        "reads the lock fusion.lock",
        "ends with 0",
    ]


def test_a_server_that_was_not_read_is_not_told_as_read(project: Any) -> None:
    result = project.run("lock", "--debug", "--name", "away", "http://127.0.0.1:1/mcp")
    assert result.code == 2
    assert [step for step in told(result.err) if step.endswith(" away")] == ["reads away", "could not read away"]


def test_it_is_no_part_of_a_report(project: Any, close_page: Any) -> None:
    name = project.catalog("pages.json", close_page)
    plain = project.run("diff", name, name, "--format", "json")
    debugged = project.run("diff", name, name, "--format", "json", "--debug")
    assert (debugged.code, debugged.out) == (plain.code, plain.out)
    assert told(plain.err) == []


def test_behind_two_hyphens_it_is_the_servers(project: Any, close_page: Any) -> None:
    result = project.run("lock", *project.serve("v1", close_page), "--debug")
    assert (result.code, told(result.err)) == (0, [])


def test_what_is_refused_is_told_with_its_place(project: Any) -> None:
    result = project.run("show", "gone.json", "--debug")
    *_, refuses, where, last = [line for line in told(result.err) if not line.startswith("  at cli/")]
    assert result.code == 2
    assert (refuses.startswith("  at fusion_contracts/") or refuses == "refuses", last) == (True, "ends with 2")
    assert re.fullmatch(r"  at fusion_contracts/[\w/]+\.py line \d+ in \w+", where)
    assert "fusion: gone.json does not exist; check the path; a server's command goes after --" in result.err


def test_a_mistake_of_ours_is_told_without_values(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_TOKEN", "hunter2hunter2")

    def broken(*_: object) -> None:
        local = "a value of a local"
        try:
            dict[str, int]()["first"]
        except KeyError as error:
            raise ZeroDivisionError(f"told hunter2hunter2 and\nBearer abcdefghijk, {len(local)}") from error

    monkeypatch.setattr("fusion_contracts.cli.project.open_project", broken)
    result = project.run("show", "--debug", "--format", "json")
    lines = told(result.err)
    assert result.code == 2
    assert lines.count("meets a fault") == 1  # though it is met twice: for the report, and for people
    assert [line for line in lines if "Error: " in line] == [
        "  KeyError: 'first'", "  ZeroDivisionError: told (hidden) and (hidden), 18",
    ]  # fmt: skip
    assert re.search(r"  at \S*test_debug\.py line \d+ in test_a_mistake.*broken", "\n".join(lines))
    assert "a value of" not in result.err
    assert "hunter2" not in result.err + result.out


def test_no_secret_of_the_command_line_or_the_settings_is_told(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK", "plain-looking")  # a secret by being asked for
    project.write("fusion.toml", '[sources.desk]\nurl = "https://x.invalid/mcp"\nheaders = { X-Desk = "${DESK}" }\n')
    words = (
        "lock", "https://me:hunter2@x.invalid/mcp?api_key=hunter2", "--header", "X-Desk: plain-looking",
        "--header=Cookie: hunter2", "--input", "key=hunter2", "--debug",
    )  # fmt: skip
    result = project.run(*words)
    assert result.code == 2
    assert told(result.err)[2] == (
        "runs fusion lock 'https://(hidden)@x.invalid/mcp?api_key=(hidden)' --header 'X-Desk: (hidden)' "
        "'--header=Cookie: (hidden)' --input 'key=(hidden)' --debug"
    )
    assert "hunter2" not in result.err
    assert "plain-looking" not in result.err


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["npx", "-y", "@acme/server@1.0"], ["npx", "-y", "@acme/server@1.0"]),
        (["serve", "--token", "abc"], ["serve", "--token", "(hidden)"]),
        (["serve", "--token", "${TOKEN}"], ["serve", "--token", "${TOKEN}"]),
        (["--header", "Authorization: Bearer ${T}"], ["--header", "Authorization: Bearer ${T}"]),
        (["API_KEY=abc", "serve"], ["API_KEY=(hidden)", "serve"]),
        (["-e", "DESK=abc"], ["-e", "DESK=(hidden)"]),
        (["ghp_abcdefghijklmnopqrstuvwxyz"], ["(hidden)"]),
        (["src/desk/server_v2.py:mcp"], ["src/desk/server_v2.py:mcp"]),
    ],
)
def test_which_words_are_hidden(words: list[str], shown: list[str]) -> None:
    assert hidden_words(words) == shown


def test_the_home_folder_is_not_named(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(project.folder.parent))
    assert told(project.run("--version", "--debug").err)[3].startswith("in ~/project; ")


def test_without_it_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    run = "from fusion_contracts.cli import main; main(['--version'])"
    code = f"import sys; {run}; print('fusion_contracts.cli.debugging' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"fusion-contracts {__version__}\nFalse\n"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--webhook", "https://hooks.example/T0/secret"], ["--webhook", "https://hooks.example/(hidden)"]),
        (["--webhook=https://me:it@hooks.example?key=a"], ["--webhook=https://hooks.example/(hidden)"]),
        (["--webhook", "https://hooks.example/"], ["--webhook", "https://hooks.example/"]),
        (["--webhook", "${HOOK}"], ["--webhook", "${HOOK}"]),
        (["--webhook", "${HOOK}/secret"], ["--webhook", "(hidden)"]),
        (["--webhook-header", "X-Sig: secret"], ["--webhook-header", "X-Sig: (hidden)"]),
        (["--webhook-header=X-Sig: https://secret"], ["--webhook-header=X-Sig: (hidden)"]),
        (["--webhook-header", "X-Sig: ${SIG}"], ["--webhook-header", "X-Sig: ${SIG}"]),
        (["--header", "X-Sig: https://secret"], ["--header", "X-Sig: (hidden)"]),
        (["https://a.example/mcp?page=2", "--webhookish"], ["https://a.example/mcp?page=2", "--webhookish"]),
    ],
)
def test_of_a_webhook_the_host_alone_is_shown(words: list[str], shown: list[str]) -> None:
    assert hidden_words(words) == shown
