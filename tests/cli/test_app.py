"""The program itself: arguments, help, exit codes as a shell sees them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import __version__
from fusion_contracts.cli import main
from fusion_contracts.cli.app import COMMANDS
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
        assert f"  {name:<{max(map(len, COMMANDS))}}  {told}\n" in result.out


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
    assert project.run("diff", "--fail-on", "high").err.splitlines()[-2] == (
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
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "COLUMNS": "100"}
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
    assert result.err.endswith("/issues\nexit 2: could not check\n")
    assert "; run it again with --debug, and report what it prints at https://github.com/" in result.err
    assert "secret" not in result.err


def test_what_counts_as_ci() -> None:
    assert [in_ci({"CI": value}) for value in ("true", "1", "false", "False", "0", "")] == [True] * 2 + [False] * 4
    assert not in_ci({})


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize(
    ("number", "last"),
    [
        (signal.SIGINT, "exit 130: interrupted; nothing was written"),
        (signal.SIGTERM, "exit 143: ended by SIGTERM; nothing was written"),
    ],
)
def test_a_signal_ends_with_a_last_line_too(tmp_path: Path, number: signal.Signals, last: str) -> None:
    server = "import sys; print('up', file=sys.stderr, flush=True); open('up', 'w').close(); sys.stdin.read()"
    command = [sys.executable, "-m", "fusion_contracts", "lock", "--", sys.executable, "-c", server]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ours:
        while not (tmp_path / "up").exists():  # ends when the server is up
            assert ours.poll() is None
        ours.send_signal(number)
        out, err = ours.communicate()
    assert (ours.returncode, out, err.splitlines()[-1]) == (128 + number, "", last)
    assert {path.name for path in tmp_path.iterdir()} == {"up"}


def test_a_word_that_is_a_server(project: Any, close_page: Any) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    for command in (["lock", "pages"], ["show", "pages"], ["diff", "pages"]):
        assert project.run(*command).err.splitlines()[0] == "fusion: pages is no file; did you mean -s pages?"
    project.write("fusion.toml", "")  # then the lock alone knows it
    assert project.run("lock", "pages").err.splitlines()[0] == "fusion: pages is no file; did you mean -s pages?"


def test_a_word_that_is_a_revision(repository: Any, close_page: Any) -> None:
    repository.run("lock", repository.catalog("pages.json", close_page))
    repository.commit()
    for word in ("main", "HEAD"):
        assert repository.run("diff", word).err.splitlines()[0] == (
            f"fusion: {word} is no file; did you mean git:{word}?"
        )
    assert repository.run("diff", "gone").err.splitlines()[0] == (
        "fusion: gone does not exist; check the path; a server's command goes after --"
    )


def test_a_lock_in_a_folder_above(project: Any, close_page: Any) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    (project.folder / "a" / "b").mkdir(parents=True)
    for command in (["check"], ["lock", "--check"], ["diff"], ["show"]):
        assert project.run(*command, "-C", "a/b").err.splitlines()[0] == (
            "fusion: no lock at a/b/fusion.lock; there is one further up: run it with -C ."
        )
    assert project.run("lock", "-C", "a/b").err.splitlines()[0] == (
        "fusion: there is nothing to lock: no source is configured; "
        "name one: fusion lock -- COMMAND, or run it with -C ., where there is a lock"
    )


def test_a_lock_above_is_named_from_where_one_is(
    project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    (project.folder / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(project.folder / "a" / "b")
    assert project.run("check").err.splitlines()[0] == (
        "fusion: no lock at fusion.lock; there is one further up: run it with -C ../.."
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["-C", "a"], []),
        (["-Ca"], []),
        (["-C", "a", "--lockfile", "own.lock", "--config=own.toml"], []),
        (["--lockfile=own.lock", "-C", "a"], ["--config", "own.toml"]),
        (["--debug", "-C", "a"], []),
    ],
)
def test_what_says_where_the_project_is_may_stand_before_the_command_too(
    project: Any, close_page: Any, before: list[str], after: list[str]
) -> None:
    (project.folder / "a").mkdir()
    project.catalog("a/pages.json", close_page)
    for where in ([], ["--lockfile", "own.lock", "--config", "own.toml"]):
        assert project.run("lock", "pages.json", "-C", "a", *where).code == 0
    usual = project.run("lock", "--check", *[word for word in before if word != "--debug"], *after)
    early = project.run(*before, "lock", "--check", *after)
    assert (early.code, early.out) == (usual.code, usual.out)
    assert usual.code == 0


@pytest.mark.parametrize("arguments", [["-C", "a"], ["-C"], ["--config", "check"], ["-Ca", "--lockfile"]])
def test_a_command_must_follow_what_stands_before_it(project: Any, arguments: list[str]) -> None:
    result = project.run(*arguments)
    said = f"{arguments[0]} stands before a command, and none follows"
    step = "name its value, then a command: fusion -C DIR check"
    assert (result.code, result.out, result.err) == (2, "", f"fusion: {said}; {step}\nexit 2: could not check\n")


def test_without_a_command_the_help_and_the_version_are_given(project: Any) -> None:
    assert project.run("-C", "a", "--version").out == project.run("--version").out
    assert project.run("-C", "a", "-h").out == project.run("-h").out
    wrong = project.run("-C", "a", "--fail-on", "any", "check")
    assert wrong.err.splitlines()[-2:] == ["Error: No such option: --fail-on", "exit 2: could not check"]


# --- streams that are closed, full, or not there -----------------------------------------------------------------


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `fusion` is the program."""
    script = f'fusion() {{ "{sys.executable}" -m fusion_contracts "$@"; }}; {line}'
    return subprocess.run(["sh", "-c", script], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A folder with two catalogs, of which the second lost a tool."""
    (tmp_path / "one.json").write_text('[{"name": "a", "inputSchema": {}}]', encoding="utf-8")
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
def test_a_closed_stream_changes_no_exit_code_and_no_other_stream(two: Path) -> None:
    closed = shell("fusion diff one.json none.json >&-", two)
    assert (closed.returncode, closed.stdout, closed.stderr) == (1, "", "")
    silent = shell("fusion diff --format json one.json none.json 2>&-", two)
    assert silent.returncode == 1
    assert json.loads(silent.stdout)["summary"]["breaking"] == 1
    assert shell("fusion lock one.json >&- 2>&- <&-", two).returncode == 0
    assert (two / "fusion.lock").read_text(encoding="utf-8").startswith("# What agents rely on")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_stream(two: Path) -> None:
    for line in ("fusion diff one.json none.json", "fusion --help", "fusion show one.json --format json"):
        done = shell(f"{line} >/dev/full", two)
        assert done.returncode == 2
        assert done.stderr.splitlines()[-2:] == [
            "fusion: cannot write to standard output: no space left on device; write elsewhere",
            "exit 2: could not check",
        ]
    assert shell("fusion diff one.json none.json 2>/dev/full", two).returncode == 1


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_signal_that_ends_it_is_the_exit_code(two: Path, root: Path) -> None:
    server = root / "fixtures" / "servers" / "hangs.py"
    command = [sys.executable, "-m", "fusion_contracts", "lock", "--", sys.executable, str(server)]
    with subprocess.Popen(command, cwd=two, stderr=subprocess.PIPE, text=True) as ours:
        assert ours.stderr is not None
        assert ours.stderr.readline().startswith("hangs: starting ")
        ours.send_signal(signal.SIGTERM)
        assert ours.wait() == 128 + signal.SIGTERM
        assert ours.stderr.read() == "exit 143: ended by SIGTERM; nothing was written\n"


def test_an_interrupt_while_it_loads_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fusion_contracts.cli.app.run", interrupt)
    assert main(["--help"]) == 130


# --- usage errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [["diff", "--format", "json", "--bogus"], ["check", "--format=json", "--fail-on", "x"], ["show", "--format=json"]],
)
def test_a_program_gets_a_report_on_every_error(project: Any, arguments: list[str]) -> None:
    result = project.run(*arguments)
    assert result.code == 2
    assert len(json.loads(result.out)["errors"]) == 1
    assert result.err.splitlines()[-1] == "exit 2: could not check"


def test_a_usage_error_repeats_no_secret_and_no_escape(project: Any) -> None:
    result = project.run("lock", "a.json", "https://me:hunter2@host/x", "\x1b[31m")
    assert result.code == 2
    assert "hunter2" not in result.err
    assert "\x1b" not in result.err
    assert "https://(hidden)@host/x" in result.err


def test_no_arguments_at_all(project: Any) -> None:
    result = project.run()
    assert result.code == 2
    assert "Usage: fusion " in result.err + result.out
    assert "fault" not in result.err
