"""Live servers over stdio that cannot be listed: what is said, in bounded time, memory and output."""

from __future__ import annotations

import os
import re
import resource
import sys
from dataclasses import replace

import pytest
from reading import Scripted, failure
from waiting import in_its_time

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.stdio import StdioSource

RUN_IT = "run the command by itself to see why; --pass-env NAME hands a variable to it"
SILENT = f"give it more time with --timeout, or {RUN_IT}"
IN_A_HOOK = (
    "pre-commit runs it with the hook's own Python: add what the server imports to the hook's additional_dependencies, "
    "or name the project's Python in the command, such as .venv/bin/python"
)


def test_garbage(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("garbage"), options) == Problem(
        "garbage",
        "start",
        "stopped before it answered initialize (exit status 0), twice. It printed 5 lines that are no messages on "
        'standard output, the first: "Welcome to the thing!"',
        RUN_IT,
    )


def test_a_server_that_hangs(scripted: Scripted, options: Options) -> None:
    problem = failure(scripted("hangs"), replace(options, timeout=0.4))
    assert problem.message.startswith("no answer to initialize in 0.4 s, twice")
    assert (problem.server, problem.stage, problem.next) == ("hangs", "start", SILENT)


def test_a_server_that_dies_says_its_last_words(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("dies"), options).message == (
        "stopped before it answered initialize (exit status 3), twice. "
        'Last stderr: "Error: cannot log in with API_TOKEN=(hidden)"'
    )


def test_a_server_that_takes_its_time_to_end_has_an_exit_status(options: Options) -> None:
    """Pipes are closed first, and a process is gone only when its memory is."""
    code = "import os, time; os.write(2, b'no licence'); os.close(1); os.close(2); time.sleep(0.6); os._exit(3)"
    assert failure(StdioSource((sys.executable, "-c", code)), options).message == (
        'stopped before it answered initialize (exit status 3), twice. Last stderr: "no licence"'
    )


def test_the_last_words_are_those_above_a_long_stack(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("tracing"), options).message == (
        "stopped before it answered initialize (exit status 1), twice. "
        'Last stderr: "Error: cannot find the module keys.node"'
    )


def test_last_words_do_not_repeat_a_configured_value(scripted: Scripted, options: Options) -> None:
    source = scripted("dies", env={"API_TOKEN": "${WHERE_IT_IS}"})
    problem = failure(source, replace(options, environ={**os.environ, "WHERE_IT_IS": "very plain words"}))
    assert "plain" not in problem.message
    assert "(hidden)" in problem.message


@pytest.mark.parametrize("kind", ["dies", "crashes"])
def test_in_a_hook_of_pre_commit_it_says_whose_python_it_was(scripted: Scripted, options: Options, kind: str) -> None:
    hook = replace(options, environ={**options.environ, "PRE_COMMIT": "1"})
    assert (failure(scripted(kind), hook).next, failure(scripted(kind), options).next) == (IN_A_HOOK, RUN_IT)


def test_an_error_to_initialize(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("refuses"), options) == Problem(
        "refuses",
        "start",
        "answers initialize with error -32603: no licence\\nfor this machine",
        "look at the server's own log",
    )


def test_pages_for_ever(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("endless"), options) == Problem(
        "endless",
        "list",
        "pages for ever: tools/list has more than 1000 pages",
        "leave nextCursor out of the last page, or send larger pages",
    )
    assert failure(scripted("endless", "--cycle"), options).message == (
        "pages for ever: tools/list gives a nextCursor that it gave before"
    )


@pytest.mark.parametrize(
    ("arguments", "much"), [((), "more than 16 MiB in one line"), (("--lines",), "more than 64 MiB")]
)
def test_a_flood_is_refused_in_bounded_memory(
    scripted: Scripted, options: Options, arguments: tuple[str, ...], much: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    problem = failure(scripted("flood", *arguments), options)
    assert problem.message == f"sends {much} on standard output"
    assert problem.next == "make it print less, or send its lists in pages"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024  # kilobytes on Linux
    assert grown < 200


def test_noise_without_an_end_is_no_answer(scripted: Scripted, options: Options) -> None:
    def said(seconds: float) -> str:
        message = failure(scripted("babbling"), replace(options, timeout=seconds)).message
        return re.sub("printed [0-9]+ lines", "printed many lines", message)

    in_its_time(
        said,
        lambda seconds: (
            f"no answer to initialize in {seconds:g} s, twice. It printed many lines that are no messages on standard "
            'output, the first: "{}"'
        ),
    )


def test_a_crash_while_listing(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("crashes"), options) == Problem(
        "crashes", "list", 'stopped while it was listed (exit status 139). Last stderr: "Segmentation fault"', RUN_IT
    )


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("--twice", 'it holds the key "name" twice in one object'),
        ("--nan", "it holds NaN, which JSON does not have"),
        ("--digits", f"it holds an integer of 1000000 digits: {'9' * 40}..."),
        ("--deep", "it is nested deeper than 256 levels"),
    ],
)
def test_a_message_that_is_not_strict_json(scripted: Scripted, options: Options, kind: str, reason: str) -> None:
    assert failure(scripted("unreadable", kind), options) == Problem(
        "unreadable", "list", f"sends a message that cannot be read: {reason}", "correct the server"
    )


def test_a_command_that_is_not_there(options: Options) -> None:
    assert failure(StdioSource(("no-such-program-anywhere",)), options) == Problem(
        "no-such-program-anywhere",
        "start",
        "the command no-such-program-anywhere is not on PATH",
        "install it, or correct the command",
    )
    assert failure(StdioSource(("./server",)), options).message == "the command ./server does not exist"


def test_a_command_that_cannot_run(options: Options) -> None:
    (options.root / "server").write_text("no program", encoding="utf-8")
    assert failure(StdioSource(("./server",)), options) == Problem(
        "server", "start", "cannot start ./server: Permission denied", "check that it is a program that may be run"
    )
    assert failure(StdioSource((sys.executable, "a\0b")), options).message.endswith(": embedded null byte")


def test_an_unset_variable(options: Options) -> None:
    problem = failure(StdioSource((sys.executable, "--key=${NOT_SET_ANYWHERE}")), options)
    assert (
        problem.message
        == "the argument --key=${NOT_SET_ANYWHERE} needs the variable NOT_SET_ANYWHERE, which is not set"
    )
    assert problem.next == "set NOT_SET_ANYWHERE in the environment, or write ${NOT_SET_ANYWHERE:-default}"
    problem = failure(StdioSource((sys.executable,), env={"A": "${NOT_SET_ANYWHERE}"}), options)
    assert problem.message == "the server's variable A needs the variable NOT_SET_ANYWHERE, which is not set"


def test_no_command() -> None:
    with pytest.raises(FusionError, match="there is no command to start; write it after --: fusion lock -- COMMAND"):
        StdioSource(())


def test_an_error_to_a_list_shows_no_configured_value(scripted: Scripted, options: Options) -> None:
    options = replace(options, environ={**os.environ, "WHO": "somebody-in-particular"})
    reading = scripted("failing", env={"LOGIN": "${WHO}"}).read(options)
    assert list(reading.contracts[0].tools) == ["greet"]
    assert reading.unread == {"failing": frozenset({"prompts"})}
    said = "with error -32603: the database refused (hidden)"
    assert [problem.message for problem in reading.problems] == [
        f"its prompts could not be listed: answers prompts/list {said}"
    ]
    problem = failure(scripted("failing", "--tools", env={"LOGIN": "${WHO}"}), options)
    assert problem == Problem("failing", "list", f"answers tools/list {said}", "look at the server's own log")
