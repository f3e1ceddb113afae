"""The program itself: arguments, help, exit codes as a shell sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import __version__
from fusion_contracts.cli.app import COMMANDS
from fusion_contracts.cli.fresh import unpinned
from fusion_contracts.cli.locking import in_ci


def fusion(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    command = [sys.executable, "-m", "fusion_contracts", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_version(tmp_path: Path) -> None:
    done = fusion("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"fusion-contracts {__version__}\n", "")


def test_the_help_lists_every_command_whole(project: Any) -> None:
    result = project.run("--help")
    assert result.code == 0
    for name, told in COMMANDS.items():
        assert f"  {name:<7}  {told}\n" in result.out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself(project: Any, name: str) -> None:
    result = project.run(name, "--help")
    assert result.code == 0
    assert result.out.startswith(f"Usage: fusion {name} ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bogus"],
        ["diff", "--bogus"],
        ["diff", "--format", "xml"],
        ["diff", "--fail-on", "high"],
        ["diff", "--world", "flat"],
        ["diff", "--show", "nothing"],
        ["diff", "a", "b", "c"],
        ["lock", "--name"],
        ["lock", "a", "b"],
    ],
)
def test_usage_errors_end_with_2(project: Any, arguments: list[str]) -> None:
    result = project.run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "Error: " in result.err


def test_the_words_of_an_option_are_told(project: Any) -> None:
    assert project.run("diff", "--fail-on", "high").err.splitlines()[-1] == (
        "Error: Invalid value for '--fail-on': 'high' is not one of breaking, risky, any, never."
    )


def test_exit_codes_of_the_process(tmp_path: Path) -> None:
    for name, tools in {"one": '[{"name": "a", "inputSchema": {}}]', "none": "[]"}.items():
        (tmp_path / f"{name}.json").write_text(tools, encoding="utf-8")
    assert fusion("diff", "one.json", "one.json", cwd=tmp_path).returncode == 0
    assert fusion("diff", "one.json", "none.json", cwd=tmp_path).returncode == 1
    missing = fusion("diff", "one.json", "gone.json", cwd=tmp_path)
    assert missing.returncode == 2
    assert missing.stderr == (
        "fusion: gone.json does not exist; check the path; a server's command goes after --\nexit 2: could not check\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes")
def test_a_reader_that_leaves_gets_no_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "fusion_contracts", "--help"]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (2, "")


def test_a_terminal_that_cannot_show_a_character(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "\u00e9tat", "inputSchema": {}}]', encoding="utf-8")
    command = [sys.executable, "-m", "fusion_contracts", "show", "tools.json"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    cost = "  cost     12 tokens to the model (estimate)\n"
    shown = f"tools: 1 tool\n  source   tools.json\n{cost}  \\xe9tat(){' ' * 83}12 tokens\n"
    assert (done.returncode, done.stdout) == (0, shown)


def test_a_fault_of_ours_is_no_finding(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a secret that a server said")

    monkeypatch.setattr("fusion_contracts.cli.project.open_project", broken)
    told = "a fault in fusion-contracts: ZeroDivisionError in test_app.py line "

    result = project.run("diff", "--format", "json")

    assert result.code == 2
    assert json.loads(result.out)["errors"][0]["message"].startswith(told)
    assert result.err.startswith(f"fusion: {told}")
    assert result.err.endswith("; set FUSION_TRACEBACK=1 to see more, and report it\nexit 2: could not check\n")
    monkeypatch.setenv("FUSION_TRACEBACK", "1")
    assert "Traceback (most recent call last):" in project.run("show").err


@pytest.mark.parametrize(
    ("command", "package"),
    [
        (["npx", "-y", "@playwright/mcp@latest"], "@playwright/mcp@latest"),
        (["npx", "-y", "@playwright/mcp"], "@playwright/mcp"),
        (["npx", "-y", "@playwright/mcp@0.0.70"], None),
        (["uvx", "mcp-server-fetch"], "mcp-server-fetch"),
        (["uvx", "mcp-server-fetch==2025.4.7"], None),
        (["uvx", "--from", "mcp-atlassian", "serve"], "mcp-atlassian"),
        (["/usr/bin/npx.cmd", "-p", "thing@1", "serve"], None),
        (["python3", "server.py"], None),
        (["npx"], None),
        ([], None),
    ],
)
def test_which_package_is_unpinned(command: list[str], package: str | None) -> None:
    assert unpinned(command) == package


def test_what_counts_as_ci() -> None:
    assert [in_ci({"CI": value}) for value in ("true", "1", "false", "False", "0", "")] == [True] * 2 + [False] * 4
    assert not in_ci({})
