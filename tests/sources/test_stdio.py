"""Live servers over stdio: what is listed, what is said when that fails, and that nothing is left running."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import SourceRecord
from fusion_contracts.sources import mcp_session
from fusion_contracts.sources.base import Options, VolatileRule
from fusion_contracts.sources.stdio import StdioSource
from fusion_contracts.sources.twice import read_twice

Scripted = Callable[..., StdioSource]
NO_ARGUMENTS = "which says that there are no arguments; read as an empty object"
RUN_IT = "run the command by itself to see why; --pass-env NAME hands a variable to it"


def failure(source: StdioSource, options: Options) -> Problem:
    with pytest.raises(FusionError) as caught:
        source.read(options)
    return caught.value.problem


def is_running(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


# -- what is listed ------------------------------------------------------------------------------------------------


def test_a_server_is_listed_in_full(scripted: Scripted, options: Options) -> None:
    said: list[str] = []
    source = scripted("plain")
    reading = source.read(replace(options, progress=said.append))
    (contract,) = reading.contracts
    assert contract.name == "plain"
    assert contract.protocol_version == "2025-11-25"
    assert contract.info == {"name": "scripted", "version": "1.0.0"}
    assert contract.capabilities == {"tools": {"listChanged": True}, "prompts": {}, "resources": {}}
    assert contract.instructions == "Be kind."
    assert list(contract.tools) == ["bow", "greet", "wave"]
    assert [(one.name, one.required, one.description) for one in contract.prompts["letter"].arguments] == [
        ("tone", True, "How to speak")
    ]
    assert contract.resources["a://b"].fields == {"name": "b"}
    assert contract.resource_templates["a://{c}"].fields == {"name": "c"}
    assert contract.source == SourceRecord(kind="stdio", command=source.command)
    assert (reading.problems, reading.notes, reading.refused, reading.unread) == ((), (), {}, {})
    assert said == [f"plain: starting {source.label}"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_locked_version_is_asked_for(scripted: Scripted, options: Options, version: str) -> None:
    for server in (scripted("plain"), scripted("stateless", "--both")):
        (contract,) = server.read(replace(options, protocol_version=version)).contracts
        assert contract.protocol_version == version


def test_a_stateless_server_is_listed_without_a_handshake(scripted: Scripted, options: Options) -> None:
    for arguments in ([], ["--both"]):
        (contract,) = scripted("stateless", *arguments).read(options).contracts
        assert contract.protocol_version == "2026-07-28"
        assert contract.info == {"name": "scripted", "version": "2.0.0"}
        assert contract.instructions == "Be kind."
        assert list(contract.tools) == ["greet"]


def test_a_server_that_no_longer_offers_the_locked_version_gives_what_it_has(
    scripted: Scripted, options: Options
) -> None:
    (contract,) = scripted("stateless").read(replace(options, protocol_version="2025-06-18")).contracts
    assert contract.protocol_version == "2026-07-28"
    (contract,) = scripted("plain").read(replace(options, protocol_version="2026-07-28")).contracts
    assert contract.protocol_version == "2025-11-25"


def test_a_server_that_dies_of_the_probe_is_started_again_without_it(scripted: Scripted, options: Options) -> None:
    said: list[str] = []
    (contract,) = scripted("fragile").read(replace(options, progress=said.append)).contracts
    assert contract.protocol_version == "2025-11-25"
    assert said[1:] == ["fragile: stopped before it answered initialize (exit status 1); starting it once more"]


def test_a_server_that_ignores_the_probe_is_greeted_in_the_old_way(
    scripted: Scripted, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_session, "PROBE_SECONDS", 0.05)
    for server, version in (("deaf", "2025-11-25"), ("stateless", "2026-07-28")):
        (contract,) = scripted(server).read(options).contracts
        assert contract.protocol_version == version
        assert list(contract.tools) == ["greet"]


def test_noise_and_requests_of_the_server_are_lived_with(scripted: Scripted, options: Options) -> None:
    (contract,) = scripted("noisy").read(options).contracts
    assert contract.tools["greet"].extra["x-answers"] == {
        "ping": {},
        "roots/list": {"roots": []},
        "sampling/createMessage": {"code": -32601, "message": "Method not found"},
    }


def test_malformed_tools_are_refused_by_name_and_the_rest_kept(scripted: Scripted, options: Options) -> None:
    reading = scripted("malformed").read(options)
    (contract,) = reading.contracts
    assert list(contract.tools) == ["greet", "old", "older", "stringly"]
    assert contract.tools["stringly"].input_schema == {"type": "string"}
    assert contract.tools["old"].input_schema == {}
    assert contract.tools["older"].input_schema == {}
    assert reading.refused == {"malformed": frozenset({"twin", "listy", "texty", "odd\x1b[31m"})}
    assert [problem.message for problem in reading.problems] == [
        "tool 2 of 13 is refused: it has no name",
        "tool 3 of 13 is refused: its name is empty",
        "tool 4 of 13 is refused: its name is a number, not a text",
        "tool 5 of 13 is refused: it is a text, not a JSON object",
        "tool twin is refused: it is listed twice",
        "tool listy is refused: its input schema is a list, neither a JSON object nor null",
        "tool texty is refused: its input schema is a text, neither a JSON object nor null",
        "tool odd\\u{1b}[31m is refused: its input schema is a number, neither a JSON object nor null",
    ]
    assert {(problem.server, problem.stage) for problem in reading.problems} == {("malformed", "normalise")}
    assert reading.notes == (
        'malformed: tool stringly: its input schema has the type "string", not "object"; kept as it is',
        f"malformed: tool old: its input schema is null, {NO_ARGUMENTS}",
        f"malformed: tool older: its input schema is missing, {NO_ARGUMENTS}",
    )


# -- what is said --------------------------------------------------------------------------------------------------


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
    assert (problem.server, problem.stage, problem.next) == ("hangs", "start", RUN_IT)


def test_a_server_that_dies_says_its_last_words(scripted: Scripted, options: Options) -> None:
    assert failure(scripted("dies"), options).message == (
        "stopped before it answered initialize (exit status 3), twice. "
        'Last stderr: "Error: cannot log in with API_TOKEN=(hidden)"'
    )


def test_last_words_do_not_repeat_a_configured_value(scripted: Scripted, options: Options) -> None:
    source = scripted("dies", env={"API_TOKEN": "${WHERE_IT_IS}"})
    problem = failure(source, replace(options, environ={**os.environ, "WHERE_IT_IS": "very plain words"}))
    assert "plain" not in problem.message
    assert "(hidden)" in problem.message


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
    problem = failure(scripted("babbling"), replace(options, timeout=0.5))
    assert re.fullmatch(
        "no answer to initialize in 0.5 s, twice. It printed [0-9]+ lines that are no messages on standard output, "
        'the first: "{}"',
        problem.message,
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


# -- environment and secrets ---------------------------------------------------------------------------------------


def test_the_environment_is_minimal_and_fixed(scripted: Scripted, options: Options) -> None:
    environ = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "de_DE", "FUSION_STRAY": "1", "HANDED": "2", "MINE": "3"}
    source = scripted("leaky", env={"CONFIGURED": "${MINE}", "API_TOKEN": "short"}, pass_env=("HANDED", "NOT_SET"))
    (contract,) = source.read(replace(options, environ=environ)).contracts
    assert contract.tools["greet"].description == "Connected with short in UTC, C.UTF-8"
    names = set((contract.instructions or "").split())
    assert {"CONFIGURED", "HANDED", "API_TOKEN", "TZ", "LC_ALL", "PATH"} <= names
    allowed = {"HOME", "TMPDIR", "TEMP", "TMP", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert names - allowed == {"CONFIGURED", "HANDED", "API_TOKEN", "TZ", "LC_ALL", "PATH", "FUSION_LISTING"}


def test_a_secret_value_does_not_come_back_into_the_contract(scripted: Scripted, options: Options) -> None:
    environ = {**os.environ, "THE_TOKEN": "correct-horse-battery"}
    source = scripted("leaky", env={"API_TOKEN": "${THE_TOKEN}"})
    reading = source.read(replace(options, environ=environ))
    (contract,) = reading.contracts
    assert contract.tools["greet"].description == "Connected with ${API_TOKEN} in UTC, C.UTF-8"
    assert reading.notes == ("leaky: the value of API_TOKEN stood in its listing; stored as ${API_TOKEN}",)
    assert contract.source is not None
    assert contract.source.env == {"API_TOKEN": "${THE_TOKEN}"}


TOKEN = "hunter2Zq9-and-more"


def telling(scripted: Scripted, options: Options, *arguments: str, value: str = TOKEN) -> tuple[StdioSource, Options]:
    environ = {**os.environ, "THE_TOKEN": value}
    return scripted("telling", *arguments, env={"API_TOKEN": "${THE_TOKEN}"}), replace(options, environ=environ)


def test_a_secret_that_names_something_is_refused_and_in_a_uri_replaced(scripted: Scripted, options: Options) -> None:
    source, options = telling(scripted, options)
    reading = source.read(options)
    (contract,) = reading.contracts
    assert list(contract.tools) == ["greet"]
    assert list(contract.prompts) == ["ask"]
    assert {uri: one.fields for uri, one in contract.resources.items()} == {
        "db://me:${API_TOKEN}@host/x": {"name": "${API_TOKEN}"}
    }
    held = "a name in it holds the value of API_TOKEN"
    assert [problem.message for problem in reading.problems] == [
        f"tool for-${{API_TOKEN}} is refused: {held}",
        f"tool keyed is refused: {held}",
        f"tool bad-${{API_TOKEN}} is refused: {held}",
        f"prompt ask-${{API_TOKEN}} is refused: {held}",
    ]
    assert "hunter2" not in str(reading.contracts) + str(reading.problems) + str(reading.notes)


def test_a_secret_in_the_protocol_version(scripted: Scripted, options: Options) -> None:
    source, options = telling(scripted, options, "--version")
    reading = source.read(options)
    assert reading.contracts[0].protocol_version == "v${API_TOKEN}"
    assert "hunter2" not in str(reading.notes)
    assert reading.notes[0] == (
        'telling: its protocol version is "v(hidden)", which this release does not know; listed all the same'
    )


def test_a_sentence_is_cut_behind_its_secrets_not_within(scripted: Scripted, options: Options) -> None:
    source, options = telling(scripted, options, "--late")
    message = failure(source, options).message
    assert message == f"answers tools/list with error -1: {'x' * 294}(hidde"
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", "cannot use (hidden) | (hidden)"),
        ("postgres://me:pa%24%24word@host/x", "cannot use (hidden)"),
    ],
)
def test_a_secret_of_several_lines_or_with_a_password_in_it(
    scripted: Scripted, options: Options, value: str, said: str
) -> None:
    source, options = telling(scripted, options, "--die", value=value)
    assert f'Last stderr: "{said}"' in failure(source, options).message


def test_the_password_of_a_url_is_no_part_of_a_contract(scripted: Scripted, options: Options) -> None:
    environ = {**os.environ, "DB": "postgres://me:tr0ub4dor@host/x"}
    source = scripted("leaky", env={"API_TOKEN": "tr0ub4dor", "DATABASE_URL": "${DB}"})
    (contract,) = source.read(replace(options, environ=environ)).contracts
    assert "tr0ub4dor" not in str(contract)


def test_the_record_holds_templates_and_names_alone(scripted: Scripted) -> None:
    env = {"A": "literal", "B": "Bearer ${TOKEN}", "C": "${X:-some default}${Y}"}
    source = scripted("plain", "--flag=${FLAG}", env=env, pass_env=("Z", "K", "Z"))
    assert source.record.command[-1] == "--flag=${FLAG}"
    assert source.record.env == {"A": "", "B": "${TOKEN}", "C": "${X}${Y}"}
    assert source.record.pass_env == ("K", "Z")


def test_the_label_is_one_line_for_a_shell() -> None:
    assert StdioSource(("npx", "-y", "a b", "it's", "", "x\ny")).label == "npx -y 'a b' 'it'\"'\"'s' '' 'x\\ny'"


# -- listing twice -------------------------------------------------------------------------------------------------


def test_what_differs_between_two_listings_is_named(scripted: Scripted, options: Options) -> None:
    reading, candidates = read_twice(scripted("changing"), options)
    assert list(reading.contracts[0].tools) == ["greet"]
    assert [candidate.sentence for candidate in candidates] == [
        "changing: tool greet /description differs between two listings",
        "changing: /instructions differs between two listings",
    ]
    rules = tuple(candidate.rule for candidate in candidates if candidate.rule)
    assert len(rules) == 2
    assert read_twice(scripted("changing"), replace(options, volatile=rules))[1] == []


def test_a_volatile_rule_settles_it(scripted: Scripted, options: Options) -> None:
    rule = VolatileRule("chang*", "*", "*", r"process \d+", "the process id")
    reading, candidates = read_twice(scripted("changing"), replace(options, volatile=(rule,)))
    assert candidates == []
    assert reading.contracts[0].tools["greet"].description == "Runs as {volatile}."
    assert reading.contracts[0].instructions == "Runs as {volatile}."


def test_an_equal_second_listing_gives_no_candidate(scripted: Scripted, options: Options) -> None:
    assert read_twice(scripted("stateless", "--both"), options)[1] == []


# -- nothing is left running ---------------------------------------------------------------------------------------


def left_running(file: Path) -> list[int]:
    """The processes named in a file that run on; a killed one is given time to end."""
    deadline = time.monotonic() + 10
    while running := [int(pid) for pid in file.read_text(encoding="ascii").split() if is_running(int(pid))]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.005)
    return running


def test_a_child_of_the_server_ends_with_it(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    scripted("parent", str(file)).read(options)
    assert left_running(file) == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells whose child a process is")
def test_a_child_in_a_session_of_its_own_ends_too(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    scripted("parent", str(file), "--away").read(options)
    assert left_running(file) == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells the environment of a process")
def test_a_child_that_cut_its_ties_ends_too(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    scripted("daemon", str(file)).read(options)
    assert left_running(file) == []


def test_a_child_ends_when_the_server_died_first(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    problem = failure(scripted("parent", str(file), "--die"), options)
    assert problem.message == "stopped before it answered initialize (exit status 1), twice"
    assert left_running(file) == []


def test_a_server_that_ignores_polite_signals_is_ended(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    scripted("stubborn", str(tmp_path / "mark")).read(options)
    assert (tmp_path / "mark").read_text(encoding="ascii") == "input ended"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_us_ends_the_server_first(servers: Path, tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "pids"
    code = (
        "import sys\n"
        "from fusion_contracts.sources.base import Options\n"
        "from fusion_contracts.sources.stdio import StdioSource\n"
        "print('reading', flush=True)\n"
        "try:\n"
        "    StdioSource(tuple(sys.argv[1:])).read(Options())\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    command = [sys.executable, str(servers / "parent.py"), str(file), "--hang"]
    with subprocess.Popen([sys.executable, "-c", code, *command], stdout=subprocess.PIPE) as ours:
        while not (file.exists() and len(file.read_text(encoding="ascii").split()) == 2):  # ends when the server is up
            assert ours.poll() is None
        ours.send_signal(number)
        assert ours.wait() == 128 + number
    assert left_running(file) == []
