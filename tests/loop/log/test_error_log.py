"""What the error log keeps of a call, in each sink, and that nothing it meets touches the call."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from fusion_contracts import (
    CallGuard,
    ContractAwareness,
    ServerContract,
    Tool,
    explain_validation,
    fault_boundary,
    tool_error,
)
from fusion_contracts.errors import FusionError
from fusion_contracts.loop import Outcome, empty, partial
from fusion_contracts.loop.log import Entry, ErrorLog
from fusion_contracts.loop.log.entry import COLUMNS

NOW = 1_793_000_000.0


class Kept:
    """A sink that keeps what it is given."""

    name = "kept"
    direct = False

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.fails = 0

    def write(self, entries: Sequence[Entry], /) -> None:
        if self.fails:
            self.fails -= 1
            raise OSError("the disk\x1b[31m is full\nand more")
        self.entries += entries

    def close(self) -> None:
        """Nothing is open."""


def kept(*errors: Any, log: dict[str, Any] | None = None, **given: Any) -> list[dict[str, Any]]:
    """What is kept of calls of `close` in the run `r`, without numbers and times."""
    sink = Kept()
    with ErrorLog(sink, clock=lambda: NOW, **log or {}) as told:
        for error in errors:
            told.record(error, **{"run": "r", "action": "close"} | given)
    records = [entry.record() for entry in sink.entries]
    assert [record.pop("time_us") for record in records] == [int(NOW * 1e6) + n for n in range(len(errors))]
    assert len({record.pop("id") for record in records}) == len(errors)
    return records


PLAIN = {"run": "r", "server": "", "tool": "close", "action": "close", "deltas": 0, "stopped": 0}
FAILED = PLAIN | {"outcome": "execution_error", "severity": "error", "attempt": 1}


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_a_success() -> None:
    assert kept(None) == [PLAIN | {"outcome": "ok", "attempt": 0}]
    assert kept(None, outcome="empty") == [PLAIN | {"outcome": "empty", "attempt": 0}]


def test_a_fault_and_what_is_known_of_it() -> None:
    error = tool_error("NOT_FOUND", "No such ticket", details={"id": 5}, severity="critical")
    known = {"server": "desk", "release": "2.0", "contract": "abcdef"}
    assert kept(error, log=known, tool="tickets", tokens=310, model_calls=2) == [
        FAILED
        | known
        | {"tool": "tickets", "code": "NOT_FOUND", "severity": "critical", "tokens": 310, "model_calls": 2}
    ]


def test_a_warning_is_a_success_with_a_code() -> None:
    assert kept(tool_error("DEPRECATED", "Soon gone", severity="warning")) == [
        PLAIN | {"outcome": "ok", "attempt": 0, "code": "DEPRECATED", "severity": "warning"}
    ]


def schema(name: str) -> dict[str, Any]:
    item = {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}
    return {"type": "object", "properties": {"items": {"type": "array", "items": item}, name: {"type": "integer"}},
            "required": [name]}  # fmt: skip


def test_a_report_on_arguments_gives_its_fields_and_the_changes_told() -> None:
    old, new = (ServerContract("desk", tools={"close": Tool("close", schema(name))}) for name in ("idx", "id"))
    awareness = ContractAwareness.between(old, new)
    sent = {"idx": 1, "items": [{"id": "a"}, {"id": "b"}]}
    report = explain_validation(new.tools["close"].input_schema, sent, action="close", awareness=awareness)
    told = report.to_xml().count("<change ")
    wanted = FAILED | {"code": "VALIDATION_ERROR", "fields": '["id","items[].id"]', "deltas": told}
    assert told > 0
    assert kept(report) == [wanted]
    assert kept(report.to_xml()) == [wanted], "the text alone says the same"


@fault_boundary
def crash() -> None:
    raise TimeoutError("no answer from 10.0.0.1")


def raised() -> Exception:
    try:
        crash()
    except Exception as error:  # noqa: BLE001 - whatever the boundary raises
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "code", "severity"),
    [
        (tool_error("CONFLICT", "Busy").to_xml(), "CONFLICT", "error"),
        ({"isError": True, "content": [{"type": "text", "text": "boom"}]}, "UNKNOWN", "error"),
        ("boom", "UNKNOWN", "error"),
        (42, "UNKNOWN", "error"),
        (KeyError("secret"), "INTERNAL_ERROR", "critical"),
        (raised(), "INTERNAL_ERROR", "critical"),
        (RuntimeError(tool_error("TIMEOUT", "Slow").to_xml()), "TIMEOUT", "error"),
    ],
)
def test_an_error_in_any_form(error: Any, code: str, severity: str) -> None:
    assert kept(error) == [FAILED | {"code": code, "severity": severity}]


def test_attempts_are_counted_until_a_success_by_action_and_run() -> None:
    sink = Kept()
    error = tool_error("TIMEOUT", "Slow")
    with ErrorLog(sink) as log:
        for run, action, said in (
            ("a", "x", error), ("a", "x", error), ("b", "x", error), ("a", "y", error), ("a", "x", None),
            ("a", "x", error),
        ):  # fmt: skip
            log.record(said, run=run, action=action)
        log.record(error, run="a", action="x", attempt=7)
        log.record(error, run="a", action="x")
    assert [entry.attempt for entry in sink.entries] == [1, 2, 1, 1, 0, 1, 7, 8]


def test_a_refusal_of_the_guard_is_a_stop() -> None:
    error = tool_error("RETRY_LIMIT", "Enough", severity="critical")
    stop = FAILED | {"code": "RETRY_LIMIT", "severity": "critical"}
    assert kept(error) == [stop | {"stopped": 1}]
    assert kept(error, stopped=False) == [stop]


def test_arguments_are_types_and_digests_unless_asked() -> None:
    arguments = {"id": 5, "note": "x", "api_token": "s3cret", "deep": {"password": "p", "n": [1.5, None]}, "none": None}
    (entry,) = kept("boom", arguments=arguments)
    digests = json.loads(entry["arguments"])
    assert {name: kind.partition(":")[0] for name, kind in digests.items()} == {
        "id": "integer", "note": "string", "api_token": "string", "deep": "object", "none": "null",
    }  # fmt: skip
    assert digests["api_token"] == "string", "a secret has no digest, against which it could be guessed"
    (again,) = kept("boom", arguments=arguments)
    assert again["arguments"] == entry["arguments"]
    (other,) = kept("boom", arguments=arguments, run="s")
    assert json.loads(other["arguments"])["id"] != digests["id"]
    (whole,) = kept("boom", arguments=arguments, log={"keep": "values"})
    hidden = "a value that is not shown"
    assert json.loads(whole["arguments"]) == arguments | {
        "api_token": hidden, "deep": {"password": hidden, "n": [1.5, None]},
    }  # fmt: skip
    assert "arguments" not in kept("boom", arguments=arguments, log={"keep": "nothing"})[0]
    assert "arguments" not in kept(None, arguments=arguments, log={"keep": "values"})[0]


@pytest.mark.parametrize(
    "arguments",
    [
        {f"name {number}": number for number in range(1_000_000)},
        {"text": "x" * 5_000_000},
        {"list": [[1, 2]] * 500_000, "digits": 10**5_000},
        {"name" * 100_000: float("nan")},
    ],
    ids=["names", "text", "items", "name"],
)
def test_of_arguments_without_end_the_first_are_kept(arguments: dict[str, Any]) -> None:
    for keep in ("values", "digests"):
        (entry,) = kept("boom", arguments=arguments, log={"keep": keep})
        assert 10 < len(entry["arguments"]) < 60_000
        assert json.loads(entry["arguments"], parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_what_is_left_out_of_values_is_marked() -> None:
    sent = {"list": list(range(20_000)), "after": "it"}
    (entry,) = kept("boom", arguments=sent, log={"keep": "values"})
    shown = json.loads(entry["arguments"])
    assert shown["list"][-2:] == [len(shown["list"]) - 2, "..."]
    assert shown["..."] == "..."
    assert "after" not in shown
    (entry,) = kept("boom", arguments={"text": "x" * 20_000}, log={"keep": "values"})
    (text,) = json.loads(entry["arguments"]).values()
    assert text.strip("x") == "..."


def test_of_fields_without_end_the_first_are_kept() -> None:
    (entry,) = kept("boom", fields=(f"{number:07}" for number in range(1_000_000)))
    assert json.loads(entry["fields"]) == [f"{number:07}" for number in range(20)]


def test_hostile_names_are_made_visible_and_cut() -> None:
    name = "a\x00\ud800\u202e\n" + "x" * 500
    (entry,) = kept("boom", action=name, fields=[name, "b[3].c[12]", "b[4].c[1]"], arguments={name: {name: object()}})
    shown = r"a\u{0}\u{d800}\u{202e}\n" + "x" * 195
    assert entry["action"] == shown
    assert json.loads(entry["fields"]) == [shown, "b[].c[]"]
    assert list(json.loads(entry["arguments"])) == [shown]


@dataclass
class Hook:
    tool: str
    action: str
    arguments: Any
    run: str


@dataclass
class Ended:
    fault: Any
    failing: tuple[str, ...] = ()
    deltas: int = 0
    kind: str | None = None


def test_it_is_a_hook_of_integrations_and_guards() -> None:
    sink = Kept()
    with ErrorLog(sink, run="mine") as log:
        call = Hook("pages", "", {"id": 1}, "")
        log(call, Ended(tool_error("VALIDATION_ERROR", "no"), ("id",), 2))
        log.before(call)
        log.after(call, Ended(None, kind="partial"))
    told = [(one.run, one.action, one.outcome, one.code, one.fields, one.deltas, one.attempt) for one in sink.entries]
    assert told == [
        ("mine", "pages", "execution_error", "VALIDATION_ERROR", ("id",), 2, 1),
        ("mine", "pages", "partial", None, (), 0, 0),
    ]


def test_a_call_that_was_cancelled_before_it_ran_is_none() -> None:
    sink = Kept()
    with ErrorLog(sink) as log:
        log.after(Hook("pages", "", {}, "r"), None)
    assert sink.entries == []


def test_every_form_of_a_refusal_says_the_same(caplog: pytest.LogCaptureFixture) -> None:
    """A report, its text, a result that holds it, and an outcome of any of them: one code, one list, one count."""
    sides = (
        ServerContract("s", tools={"pages": Tool("pages", input_schema={
            "type": "object", "properties": {name: {"type": "integer"}}, "required": [name],
            "additionalProperties": False,
        })})
        for name in ("pageIdx", "pageId")
    )  # fmt: skip
    report = CallGuard(*sides).check("pages", {"pageIdx": 1})
    assert report is not None
    text = report.to_xml()
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    forms = [report, text, result, RuntimeError(text)]
    sink, call = Kept(), Hook("pages", "", {"pageIdx": 1}, "r")
    with ErrorLog(sink) as log:
        for form in forms:
            log.record(form, run="r", action="pages")
            log(call, Outcome.of(form))
    assert {(one.outcome, one.code, one.fields) for one in sink.entries} == {
        ("execution_error", "VALIDATION_ERROR", ("pageId",))
    }
    assert {one.deltas for one in sink.entries} == {text.count("<change ")}
    assert text.count("<change ") > 0
    assert caplog.text == ""


def test_an_action_that_is_not_there_is_no_argument_that_fails() -> None:
    sink = Kept()
    with ErrorLog(sink) as log:
        log(Hook("gone", "", {}, "r"), Ended(tool_error("UNKNOWN_ACTION", "No gone."), ("gone",)))
    assert [one.fields for one in sink.entries] == [()]


class McpError(Exception):
    """As the SDKs raise one: with the JSON-RPC error in it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error = SimpleNamespace(code=code, message=message, data=None)


# Known by its name: the framework need not be there.
STEERING = type("ModelRetry", (Exception,), {"__module__": "pydantic_ai.exceptions"})
ANSWERED = {"content": [{"type": "text", "text": "3 pages"}], "isError": False}


@pytest.mark.parametrize(
    ("given", "outcome", "code"),
    [
        (TimeoutError(), "execution_error", "TIMEOUT"),
        (RuntimeError("boom"), "execution_error", "INTERNAL_ERROR"),
        (tool_error("NOT_FOUND", "No page 7."), "execution_error", "NOT_FOUND"),
        (ConnectionResetError(), "protocol_error", "HANDOFF_UPSTREAM_UNAVAILABLE"),
        (McpError(-32602, "Unknown tool: close"), "protocol_error", "UNKNOWN_ACTION"),
        (McpError(-32602, "page must be a number"), "protocol_error", "VALIDATION_ERROR"),
        (McpError(408, "Timed out while waiting for a response"), "protocol_error", "TIMEOUT"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "No"}}, "protocol_error", "INTERNAL_ERROR"),
        ({"content": [{"type": "text", "text": "Request timed out"}], "isError": True}, "execution_error", "TIMEOUT"),
        (ANSWERED, "ok", None),
        ({"jsonrpc": "2.0", "id": 1, "result": ANSWERED}, "ok", None),
        (Outcome.of([]), "empty", None),
        (empty(searched="pages"), "empty", None),
        (partial([1], failed=[("b", "gone")]), "partial", None),
    ],
)
def test_whatever_came_of_a_call_is_told_as_the_loop_tells_it(given: Any, outcome: str, code: str | None) -> None:
    told = Outcome.of(given)
    assert (told.kind, told.code or None) == (outcome, code)
    for form in (given, told):
        (record,) = kept(form)
        assert (record["outcome"], record.get("code")) == (outcome, code)
        assert record["attempt"] == int(told.is_error)


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), STEERING("again")])
def test_what_is_no_failure_of_the_tool_is_told_of_and_not_raised(error: BaseException) -> None:
    assert kept(error) == [FAILED | {"code": "UNKNOWN"}]


def test_numbers_that_cannot_be_take_no_other_entry_with_them(tmp_path: Path) -> None:
    with ErrorLog(str(tmp_path / "log.sqlite")) as log:
        log.record(run="r", action="before", tokens=10**30, model_calls=-1, deltas=10**30)
        log.record(ValueError("no"), run="r", action="after", attempt=10**30)
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as connection:
        rows = connection.execute("SELECT action, tokens, model_calls FROM fusion_calls ORDER BY time_us").fetchall()
    assert rows == [("before", None, None), ("after", None, None)]


# --- sinks -----------------------------------------------------------------------------------------------------------

ERROR = tool_error("VALIDATION_ERROR", "no", details={"id": "Missing."})


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {', '.join(COLUMNS)} FROM fusion_calls ORDER BY time_us").fetchall()


def test_every_sink_holds_the_same(tmp_path: Path, postgres: str) -> None:
    import psycopg

    lines = tmp_path / "new" / "log.jsonl"
    with ErrorLog(tmp_path / "new" / "log.sqlite", lines, postgres, server="desk", clock=lambda: NOW) as log:
        log.record(ERROR, run="r", action="close", arguments={"id": "\u00e9"}, tokens=5)
        log.record(run="r", action="close")
    expected = rows_of(tmp_path / "new" / "log.sqlite")
    records = [json.loads(line) for line in lines.read_text(encoding="ascii").splitlines()]
    assert [tuple(record.get(name) for name in COLUMNS) for record in records] == expected
    with psycopg.connect(postgres) as connection:
        found = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM fusion_calls ORDER BY time_us").fetchall()
    assert found == expected
    assert [row[list(COLUMNS).index("code")] for row in expected] == ["VALIDATION_ERROR", None]


def test_a_lost_connection_is_made_again(postgres: str, caplog: pytest.LogCaptureFixture) -> None:
    import psycopg

    with ErrorLog(postgres) as log:
        log.record(run="1", action="close")
        log.flush()
        with psycopg.connect(postgres, autocommit=True) as connection:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
            log.record(run="2", action="close")
            log.flush()
            assert connection.execute("SELECT run FROM fusion_calls ORDER BY time_us").fetchall() == [("1",), ("2",)]
    assert caplog.messages == []


def test_errors_are_events_on_the_current_span() -> None:
    logs = pytest.importorskip("opentelemetry.sdk._logs", reason="opentelemetry-sdk is not installed")
    from opentelemetry._logs import get_logger_provider, set_logger_provider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider

    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # the SDK's own omission
    provider = logs.LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    set_logger_provider(provider)
    assert get_logger_provider() is provider
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("t")
    log = ErrorLog("otel", server="desk", clock=lambda: NOW)
    with tracer.start_as_current_span("call") as span, log:
        log.record(ERROR, run="r", action="close", arguments={"id": 1})
        log.record(run="r", action="close")
        log.record(tool_error("DEPRECATED", "old", severity="warning"), run="r", action="close")
    failed, warned = [one.log_record for one in exporter.get_finished_logs()]
    assert (failed.event_name, failed.body) == ("fusion.tool.error", "close: VALIDATION_ERROR")
    assert failed.severity_text == "ERROR"
    assert failed.timestamp == int(NOW * 1e9)
    assert failed.trace_id == span.get_span_context().trace_id
    attributes = dict(failed.attributes or {})
    assert str(attributes.pop("fusion.arguments")).startswith('{"id":"integer:')
    assert attributes == {
        "fusion.run.id": "r", "fusion.server": "desk", "gen_ai.tool.name": "close", "fusion.action": "close",
        "fusion.outcome": "execution_error", "fusion.severity": "error", "fusion.contract.deltas": 0,
        "fusion.attempt": 1,
        "fusion.error.code": "VALIDATION_ERROR", "fusion.stopped": False, "fusion.fields": ("id",),
        "error.type": "VALIDATION_ERROR",
    }  # fmt: skip
    assert (warned.severity_text, "error.type" in (warned.attributes or {})) == ("WARNING", False)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("mysql://host/db", "no log can be written to mysql://; name a file, postgresql:// or otel"),
        (
            "postgresql://host/db",
            "a log in PostgreSQL needs psycopg, which is not installed; pip install 'fusion-contracts[postgres]'",
        ),
        (
            "otel",
            "OpenTelemetry events need opentelemetry, which is not installed; pip install 'fusion-contracts[otel]'",
        ),
    ],
)
def test_what_is_no_target_is_refused(target: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fusion_contracts.loop.log.place.find_spec", lambda _: None)
    with pytest.raises(FusionError) as caught:
        ErrorLog(target)
    assert str(caught.value) == said


# --- faults ----------------------------------------------------------------------------------------------------------


def test_a_sink_that_fails_loses_its_batch_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    broken, sound = Kept(), Kept()
    broken.fails = 2
    with ErrorLog(broken, sound) as log:
        for number in range(4):
            log.record(run=str(number), action="close")
            log.flush()
    assert [entry.run for entry in broken.entries] == ["2", "3"]
    assert [entry.run for entry in sound.entries] == ["0", "1", "2", "3"]
    assert caplog.messages == [
        r"The error log kept cannot be written (OSError: the disk\u{1b}[31m is full): entries are lost, the calls go on"
    ]


def test_a_file_that_cannot_be_written_breaks_no_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "no.sqlite").write_bytes(b"no database" * 100)
    for name in ("file/log.sqlite", "file/log.jsonl", "no.sqlite"):
        with ErrorLog(tmp_path / name) as log:
            log.record(run="r", action="close")
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 3
    assert (tmp_path / "no.sqlite").read_bytes() == b"no database" * 100


@pytest.mark.parametrize("given", [{"outcome": "fine"}, {"attempt": "x"}, {"deltas": "many"}, {"fields": 5}])
def test_nonsense_breaks_no_call(given: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    sink = Kept()
    with ErrorLog(sink) as log:
        log.record("boom", run="r", action="close", **given)
        log.record("boom", run="r", action="close", **given)
        log.record(run="r", action="close")
    assert len(sink.entries) == 1
    (message,) = caplog.messages
    assert message.startswith("A call could not be logged, which changes nothing for the call: ")


def test_more_than_may_wait_is_dropped_with_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("fusion_contracts.loop.log.writer._WAITING", 0)
    sink = Kept()
    with ErrorLog(sink) as log:
        log.record(run="1", action="close")
        log.record(run="2", action="close")
    assert sink.entries == []
    assert caplog.messages == [
        "The error log kept does not keep up with the calls, and more than 0 wait: entries are lost, the calls go on"
    ]


def test_threads_share_a_log(tmp_path: Path) -> None:
    with ErrorLog(tmp_path / "log.sqlite") as log:

        def tell() -> None:
            for _ in range(200):
                log.record(run="r", action="close")

        threads = [Thread(target=tell) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = rows_of(tmp_path / "log.sqlite")
    assert len({row[0] for row in rows}) == len({row[1] for row in rows}) == 1600


WORKER = """
import sys
from pathlib import Path
from fusion_contracts.loop.log import ErrorLog

path, name = Path(sys.argv[1]), sys.argv[2]
with ErrorLog(path / "log.sqlite", path / "log.jsonl") as log:
    for _ in range(200):
        log.record(run=name, action="close")
"""


def test_processes_share_a_log(tmp_path: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path), f"p{number}"]) for number in range(4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0] * 4
    runs = sorted(row[2] for row in rows_of(tmp_path / "log.sqlite"))
    assert runs == sorted(f"p{number}" for number in range(4) for _ in range(200))
    lines = (tmp_path / "log.jsonl").read_text(encoding="ascii").splitlines()
    assert sorted(json.loads(line)["run"] for line in lines) == runs


def test_a_forked_process_goes_on_with_a_sink_of_its_own(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "log.sqlite")
    log.record(run="parent", action="close")
    log.flush()
    child = os.fork()
    if not child:
        log.record(run="child", action="close")
        log.close()
        os.kill(os.getpid(), signal.SIGKILL)  # nothing of pytest's may run here
    os.waitpid(child, 0)
    log.record(run="after", action="close")
    log.close()
    assert [row[2] for row in rows_of(tmp_path / "log.sqlite")] == ["parent", "child", "after"]


def test_a_log_that_was_closed_opens_again(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "log.sqlite")
    for run in ("1", "2"):
        log.record(run=run, action="close")
        log.close()
    assert [row[2] for row in rows_of(tmp_path / "log.sqlite")] == ["1", "2"]


def test_a_line_that_was_cut_off_stays_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    with ErrorLog(tmp_path / "log.jsonl") as log:
        monkeypatch.setattr("os.write", lambda file, data: real(file, data[:20]))
        log.record(run="1", action="close")
        log.flush()
        monkeypatch.setattr("os.write", real)
        log.record(run="2", action="close")
    cut, whole = (tmp_path / "log.jsonl").read_text(encoding="ascii").splitlines()
    assert len(cut) == 20
    assert json.loads(whole)["run"] == "2"
