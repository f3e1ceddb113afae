"""What the error log keeps of a call."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from keeping import FAILED, PLAIN, Kept, kept

from fusion_contracts import (
    CallGuard,
    ContractAwareness,
    ServerContract,
    Tool,
    explain_validation,
    fault_boundary,
    tool_error,
)
from fusion_contracts.integrations import Ending
from fusion_contracts.loop import Outcome, ToolCall, empty, partial
from fusion_contracts.loop.log import ErrorLog


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


@pytest.mark.parametrize("code", ["RETRY_LIMIT", "CONTRACT_CHANGED"])
def test_a_refusal_of_a_guard_is_a_stop(code: str) -> None:
    error = tool_error(code, "Enough", severity="critical")
    stop = FAILED | {"code": code, "severity": "critical"}
    for said in (error, error.to_xml(), {"isError": True, "content": [{"type": "text", "text": error.to_xml()}]}):
        assert kept(said) == [stop | {"stopped": 1}]
        assert kept(said, stopped=False) == [stop]


@pytest.mark.parametrize(
    ("refused", "code", "stopped"),
    [
        (None, "RETRY_LIMIT", 1),
        (None, "FORBIDDEN", 0),
        (True, "FORBIDDEN", 1),  # a guard of somebody's own
        (False, "CONTRACT_CHANGED", 0),  # the call was sent, and its answer withheld
    ],
)
def test_an_ending_says_whether_a_guard_answered(refused: bool | None, code: str, stopped: int) -> None:
    sink = Kept()
    with ErrorLog(sink) as told:
        told(ToolCall("close", run="r"), Ending(tool_error(code, "No."), refused=refused))
    assert [(entry.code, int(entry.stopped)) for entry in sink.entries] == [(code, stopped)]


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
