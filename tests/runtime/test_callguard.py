"""The check before a call is sent, for servers that drop what they do not know."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts import CallGuard, parse_tool_error
from fusion_contracts.model import ServerContract, Tool

STRING = {"type": "string"}
REQUEST = {"type": "object", "properties": {"url": STRING, "reqid": {"type": "number"}}}
LOCKED = ServerContract("s", info={"version": "0.8.1"}, tools={"get": Tool("get", REQUEST), "gone": Tool("gone", {})})
LIVE_REQUEST = {"type": "object", "properties": {"reqid": {"type": "number"}}}
LIVE = ServerContract("s", tools={"get": Tool("get", LIVE_REQUEST), "odd": Tool("odd", {"type": "thing"})})


def guard(**options: Any) -> CallGuard:
    return CallGuard(LOCKED, LIVE, **options)


@pytest.mark.parametrize("arguments", [{}, None, {"reqid": 1}, {"never_heard_of": 1}])
def test_a_call_that_may_be_sent_is_none(arguments: Any) -> None:
    assert guard().check("get", arguments) is None


def test_an_argument_that_the_server_would_drop_in_silence_is_refused() -> None:
    report = guard().check("get", {"url": "x"})
    assert report is not None
    assert report.is_error
    text = report.to_xml()
    assert '<change severity="RISKY" field="url">removed</change>' in text
    assert "<field name=\"url\">Unknown argument. You sent: 'x'. Expected only reqid.</field>" in text


def test_what_the_live_schema_refuses_is_refused() -> None:
    report = guard().check("get", {"reqid": "7"})
    assert report is not None
    assert report.suggested_arguments == {"reqid": 7}


def test_values_of_redacted_arguments_are_not_repeated() -> None:
    for redact, shown in (((), True), (("url",), False)):
        report = guard(redact=redact).check("get", {"url": "https://inner.example"})
        assert report is not None
        assert ("inner.example" in report.to_xml()) is shown


def test_a_tool_that_is_gone_is_told_as_gone() -> None:
    report = guard().check("gone", {})
    assert report is not None
    fault = parse_tool_error(report.to_xml())
    assert fault is not None
    assert (fault.code, fault.message) == ("UNKNOWN_ACTION", "No tool gone. Removed since 0.8.1.")
    never = guard().check("nothing", {})
    assert never is not None
    assert never.to_xml().count("Removed") == 0


def test_the_policy_for_other_unknown_arguments_is_the_callers() -> None:
    strict = guard(unknown="reject").check("get", {"reqId": 1})
    assert strict is not None
    assert strict.suggested_arguments == {"reqid": 1}
    warned = guard(unknown="warn").check("get", {"reqId": 1})
    assert warned is not None
    assert not warned.is_error


def test_formats_are_left_to_the_server() -> None:
    live = ServerContract("s", tools={"get": Tool("get", {"properties": {"at": {**STRING, "format": "date-time"}}})})
    assert CallGuard(live, live).check("get", {"at": "now"}) is None


def test_a_schema_that_cannot_be_read_lets_calls_through() -> None:
    assert guard().check("odd", {"a": 1}) is None


def test_a_flag_beside_its_bound_is_held_to() -> None:
    number = {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "description": None}
    live = ServerContract("s", tools={"get": Tool("get", {"type": "object", "properties": {"n": number}})})
    assert CallGuard(live, live).check("get", {"n": 1}) is None
    report = CallGuard(live, live).check("get", {"n": 0})
    assert report is not None
    assert report.issues[0].line() == "Too small. You sent: 0. Expected more than 0."


def test_two_equal_contracts_still_check_each_call() -> None:
    assert CallGuard(LIVE, LIVE).check("get", {"reqid": 1}) is None
    assert CallGuard(LIVE, LIVE).check("get", {"reqid": []}) is not None
