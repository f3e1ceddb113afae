"""What every kind of answer is told to be, and whether trying again can help."""

from __future__ import annotations

import asyncio
import json
import logging
from types import SimpleNamespace
from typing import Any

import jsonschema
import pydantic
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fusion_contracts import ToolFault, error, explain_validation, tool_error
from fusion_contracts.loop import Outcome, empty, partial
from fusion_contracts.runtime.codes import CODES

NOT_FOUND = tool_error("NOT_FOUND", "No invoice.")
BUSY = tool_error("SERVER_BUSY", "Full.", retry_after=5)


def block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def failed(text: str) -> dict[str, Any]:
    return {"content": [block(text)], "isError": True}


def told(given: Any) -> tuple[str, str, bool]:
    outcome = Outcome.of(given)
    return outcome.kind, outcome.code, outcome.retryable


# MCP results, as mappings and as objects of the SDKs


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (failed(NOT_FOUND.to_xml()), ("execution_error", "NOT_FOUND", False)),
        (failed(BUSY.to_xml()), ("execution_error", "SERVER_BUSY", True)),
        (failed("it broke"), ("execution_error", "UNKNOWN", True)),
        (failed("Unknown tool: 'x'"), ("execution_error", "UNKNOWN_ACTION", False)),
        (failed("Error executing tool x: timed out"), ("execution_error", "TIMEOUT", True)),
        (failed("File not found"), ("execution_error", "NOT_FOUND", False)),
        (failed("API error: Too Many Requests"), ("execution_error", "RATE_LIMITED", True)),
        ({"content": [block("done")], "isError": False}, ("ok", "", False)),
        ({"content": [block("done")]}, ("ok", "", False)),
        ({"content": [], "isError": False}, ("empty", "", False)),
        ({"content": [block("[]")], "structuredContent": {"result": []}}, ("empty", "", False)),
        ({"content": [block("x")], "structuredContent": {"result": [1]}}, ("ok", "", False)),
        ({"content": [{"type": "image", "data": "x"}]}, ("ok", "", False)),
        (empty(searched="x").to_mcp(), ("empty", "", False)),
        (partial([1], [("b", NOT_FOUND)]).to_mcp(), ("partial", "", False)),
        (partial([1], [("b", BUSY)]).to_mcp(), ("partial", "", True)),
        (partial([1, 2]).to_mcp(), ("ok", "", False)),
        (SimpleNamespace(content=[SimpleNamespace(type="text", text=BUSY.to_xml())], isError=True),
         ("execution_error", "SERVER_BUSY", True)),
        (SimpleNamespace(content=f"Error: {NOT_FOUND.to_xml()}", status="error"),
         ("execution_error", "NOT_FOUND", False)),
        (SimpleNamespace(content="", status="success"), ("empty", "", False)),
        (SimpleNamespace(content=[], structured_content={"result": 3}, is_error=False), ("ok", "", False)),
        (SimpleNamespace(content=[], structuredContent=partial([], cursor="c").to_structured(), isError=False),
         ("partial", "", False)),
        ({"jsonrpc": "2.0", "id": 1, "result": failed(NOT_FOUND.to_xml())}, ("execution_error", "NOT_FOUND", False)),
    ],
)  # fmt: skip
def test_a_result(given: Any, expected: tuple[str, str, bool]) -> None:
    assert told(given) == expected


def test_a_warning_travels_on_a_success() -> None:
    warning = tool_error("DEPRECATED", "old", severity="warning")
    for answer in (warning, {"content": [block(warning.to_xml()), block("5")]}, warning.to_xml()):
        outcome = Outcome.of(answer)
        assert (outcome.kind, outcome.is_error, outcome.fault) == ("ok", False, warning)
        assert (outcome.code, outcome.retryable, outcome.retry_after) == ("", False, None)


def test_the_fields_that_a_validation_error_names_without_its_suggestion() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    report = explain_validation(schema, {"n": "5"}, action="t")
    assert "<suggested_arguments>" in report.to_xml()
    for answer in (report, failed(report.to_xml()), report.to_xml()):
        outcome = Outcome.of(answer)
        assert (outcome.kind, outcome.code, outcome.failing) == ("execution_error", "VALIDATION_ERROR", ("n",))
    assert told(explain_validation(schema, {"n": 5}, action="t")) == ("ok", "", False)


def test_the_fields_that_a_frameworks_own_text_names() -> None:
    class Arguments(pydantic.BaseModel):
        page: int
        size: int

    with pytest.raises(pydantic.ValidationError) as caught:
        Arguments.model_validate({"page": "secret text"})
    text = f"Error executing tool list: {caught.value}"
    outcome = Outcome.of(failed(text))
    assert (outcome.code, outcome.failing, outcome.retryable) == ("VALIDATION_ERROR", ("page", "size"), False)
    raised = Outcome.of(caught.value)
    assert (raised.code, raised.failing) == ("VALIDATION_ERROR", ("page", "size"))
    assert raised.fault is not None
    assert raised.fault.message == "The arguments are not valid: page, size."


# JSON-RPC


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (-32602, "Unknown tool: nope", "UNKNOWN_ACTION"),
        (-32602, "bad", "VALIDATION_ERROR"),
        (-32601, "Method not found", "UNKNOWN_ACTION"),
        (-32603, "Timeout expired", "INTERNAL_ERROR"),
        (-32002, "Resource", "NOT_FOUND"),
        (-32001, "Request timed out", "TIMEOUT"),
        (-32000, "Connection closed", "HANDOFF_UPSTREAM_UNAVAILABLE"),
        (-32042, "Sign in", "AUTH_REQUIRED"),
        (-32050, "Too many requests", "RATE_LIMITED"),
        (-32050, "what", "UNKNOWN"),
        (-32603, BUSY.to_xml(), "SERVER_BUSY"),
    ],
)
def test_a_json_rpc_error_is_a_protocol_error_however_it_comes(code: int, message: str, expected: str) -> None:
    class McpError(Exception):  # as the SDK's: the error as an attribute
        error = SimpleNamespace(code=code, message=message, data=None)

    response = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}
    as_object = SimpleNamespace(jsonrpc="2.0", id=1, error=McpError.error)
    for answer in (response, response["error"], as_object, McpError.error, McpError("x")):
        outcome = Outcome.of(answer)
        assert (outcome.kind, outcome.code) == ("protocol_error", expected)
        assert outcome.is_error


def test_a_value_with_a_code_and_a_message_of_its_own_is_a_value() -> None:
    assert told({"code": 200, "message": "fine"}) == ("ok", "", False)
    assert told({"error": "none", "rows": 3}) == ("ok", "", False)


# Exceptions


class HTTPStatusError(Exception):
    """As httpx's and requests' error: the response as an attribute."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__("secret body")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.response = SimpleNamespace(status_code=status, headers=named)


class ClosedResourceError(Exception):
    """As anyio's."""


@pytest.mark.parametrize(
    ("raised", "kind", "code", "retryable"),
    [
        (TimeoutError("secret"), "execution_error", "TIMEOUT", True),
        (ConnectionResetError("secret"), "protocol_error", "HANDOFF_UPSTREAM_UNAVAILABLE", True),
        (ClosedResourceError(), "protocol_error", "HANDOFF_UPSTREAM_UNAVAILABLE", True),
        (HTTPStatusError(404), "execution_error", "NOT_FOUND", False),
        (HTTPStatusError(500), "execution_error", "INTERNAL_ERROR", False),
        (HTTPStatusError(503, Retry_After="7"), "execution_error", "SERVER_BUSY", True),
        (HTTPStatusError(503, Retry_After="Wed, 21 Oct 2026"), "execution_error", "SERVER_BUSY", True),
        (HTTPStatusError(429), "execution_error", "RATE_LIMITED", True),
        (jsonschema.ValidationError("'secret' is bad", path=["a", 0]), "execution_error", "VALIDATION_ERROR", False),
        (NOT_FOUND, "execution_error", "NOT_FOUND", False),
        (error("TIMEOUT", "m").retry_after(3), "execution_error", "TIMEOUT", True),
        (RuntimeError(f"Error calling tool: {BUSY.to_xml()}"), "execution_error", "SERVER_BUSY", True),
        (ExceptionGroup("g", [TimeoutError()]), "execution_error", "TIMEOUT", True),
    ],
)
def test_an_exception(raised: Exception, kind: str, code: str, retryable: bool) -> None:
    assert told(raised) == (kind, code, retryable)
    fault = Outcome.of(raised).fault
    assert fault is not None
    assert "secret" not in fault.to_xml()


LATER = "The cause may pass: the same call may succeed later. If it changes something, check first whether it did."
AGAIN = "The same call will fail again: change it, or do without."


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (TimeoutError(), LATER),
        (ConnectionResetError(), LATER),
        (HTTPStatusError(503), LATER),
        (HTTPStatusError(404), AGAIN),
        (HTTPStatusError(422), AGAIN),
        (HTTPStatusError(500), None),
        (jsonschema.ValidationError("bad", path=["a"]), AGAIN),
        (NOT_FOUND, None),
    ],
)
def test_the_model_is_told_whether_trying_again_can_help_where_nobody_else_says_it(
    raised: Exception, said: str | None
) -> None:
    fault = Outcome.of(raised).fault
    assert fault is not None
    assert fault.recovery == said


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [(-32602, "Unknown tool: x", AGAIN), (-32050, "Too many requests", LATER), (-32050, "what", None)],
)
def test_so_it_is_of_a_json_rpc_error_by_its_code_or_by_its_text(code: int, message: str, said: str | None) -> None:
    fault = Outcome.of({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message}}).fault
    assert fault is not None
    assert fault.recovery == said


def test_the_wait_that_a_service_asks_for() -> None:
    assert Outcome.of(HTTPStatusError(503, Retry_After="7")).retry_after == 7
    assert Outcome.of(BUSY).retry_after == 5
    assert Outcome.of(tool_error("NOT_FOUND", "m", retry_after=30)).retry_after is None


def test_what_caused_an_exception_says_what_it_is() -> None:
    wrapped = LookupError("wrapped")
    wrapped.__cause__ = TimeoutError()
    assert told(wrapped) == ("execution_error", "TIMEOUT", True)


def test_an_exception_of_which_nothing_is_known_is_logged_and_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        outcome = Outcome.of(KeyError("secret"))
    assert (outcome.code, outcome.retryable, len(caplog.records)) == ("INTERNAL_ERROR", False, 1)
    assert outcome.fault is not None
    assert outcome.fault.message == "The tool failed with an internal error (KeyError)."


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()])
def test_what_is_no_failure_is_raised_again(raised: BaseException) -> None:
    with pytest.raises(type(raised)):
        Outcome.of(raised)


# Plain values


@pytest.mark.parametrize("value", [None, "", "  \n", [], {}, (), set(), "null", "[]", {"result": None}])
def test_nothing_is_a_complete_answer(value: Any) -> None:
    assert told(value) == ("empty", "", False)


@pytest.mark.parametrize("value", [0, False, "x", [None], {"a": 1}, 1.5, b"", object(), "<tool_error>", "null island"])
def test_any_other_value_is_a_success(value: Any) -> None:
    assert told(value) == ("ok", "", False)


def test_a_text_that_is_an_envelope_and_nothing_else() -> None:
    assert told(NOT_FOUND.to_xml()) == ("execution_error", "NOT_FOUND", False)
    assert told(f"The page says: {NOT_FOUND.to_xml()}") == ("ok", "", False)
    assert told(empty(searched="x").to_text()) == ("empty", "", False)
    assert told(partial([1], [("b", BUSY)]).to_text()) == ("partial", "", True)
    assert told(json.dumps(partial([1], [("b", BUSY)]).to_structured())) == ("partial", "", True)
    assert told(f"The page says: {empty(searched='x').to_text()}") == ("ok", "", False)


def test_an_outcome_is_itself() -> None:
    outcome = Outcome.of(BUSY)
    assert Outcome.of(outcome) is outcome


# Retries


@pytest.mark.parametrize("code", CODES)
def test_which_codes_a_retry_can_help(code: str) -> None:
    passing = {"TIMEOUT", "RATE_LIMITED", "SERVER_BUSY", "HANDOFF_UPSTREAM_UNAVAILABLE", "HANDOFF_CONNECTING"}
    waiting = {"INTERNAL_ERROR", "CONFLICT"}
    assert Outcome.of(ToolFault(code, "m")).retryable is (code in passing)
    assert Outcome.of(ToolFault(code, "m", retry_after=3)).retryable is (code in passing | waiting)


def test_a_code_of_ones_own_says_so_by_a_time_to_wait() -> None:
    assert not Outcome.of(ToolFault("ORDER_CLOSED", "m")).retryable
    assert Outcome.of(ToolFault("QUOTA", "m", retry_after=60)).retry_after == 60


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["content", "isError", "error", "code", "message", "type", "text", "status", "items", "failed",
                         "next", "result", "jsonrpc", "structuredContent"]) | st.text(), inner),
)  # fmt: skip


@given(JSON)
@example({"status": [], "items": [], "failed": [], "next": None})
def test_no_value_makes_it_fail(value: Any) -> None:
    outcome = Outcome.of(value)
    assert outcome.is_error is (outcome.code != "")
    assert not outcome.is_error or outcome.fault is not None
