"""The agent loop's parts as hooks of an integration: retries are limited, and the log hears of every call."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fusion_contracts import tool_error
from fusion_contracts.integrations import Ending, Options, ToolCall
from fusion_contracts.integrations.framework import Framework
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.loop import RetryGuard
from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.usage.counting import count
from fusion_contracts.loop.usage.engines import opened
from fusion_contracts.loop.usage.queries import Filter
from fusion_contracts.report.usability.model import Healing
from fusion_contracts.runtime.releases import Known

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
TOOL = {"name": "close", "inputSchema": SCHEMA}


def test_a_call_that_cannot_work_is_stopped_and_every_call_is_in_the_log(tmp_path: Path) -> None:
    ran: list[Any] = []

    def proceed(arguments: Any) -> Any:
        ran.append(arguments)
        return {}

    with ErrorLog(str(tmp_path / "log.sqlite"), server="desk") as log:
        options = Options(guard=RetryGuard(), on_error=(log,), on_success=(log,))
        framework = Framework(lambda: [TOOL], lambda _: "failure", lambda result: result, judges=False)
        handler = Handler(options, framework, Known("desk"))
        answers = [
            handler.around_sync(ToolCall("close", {"id": sent}, run="r1"), proceed).answer for sent in ("x", "x", 7)
        ]
    assert [answer and answer.fault.code for answer in answers] == ["VALIDATION_ERROR", "RETRY_LIMIT", None]
    assert ran == [{"id": 7}]
    with sqlite3.connect(tmp_path / "log.sqlite") as base:
        rows = base.execute("SELECT run, action, code, outcome FROM fusion_calls ORDER BY time_us, id").fetchall()
    base.close()
    assert rows == [
        ("r1", "close", "VALIDATION_ERROR", "execution_error"),
        ("r1", "close", "RETRY_LIMIT", "execution_error"),
        ("r1", "close", None, "ok"),
    ]


class Nights:
    """A guard of a program's own, with a code of its own."""

    def before(self, call: ToolCall) -> Any:
        return tool_error("CLOSED", "Nobody closes at night.") if call.arguments == {"id": 7} else None

    def after(self, _call: ToolCall, _ending: Ending | None) -> None:
        pass


def test_what_any_guard_answered_is_refused_in_the_report_and_no_error(tmp_path: Path) -> None:
    path = str(tmp_path / "log.sqlite")
    with ErrorLog(path, server="desk") as log:
        options = Options(guard=Nights(), on_error=(log,), on_success=(log,))
        framework = Framework(lambda: [TOOL], lambda _: "failure", lambda result: result, judges=False)
        handler = Handler(options, framework, Known("desk"))
        for sent in (7, 7, "x", 8):
            handler.around_sync(ToolCall("close", {"id": sent}, run="r1"), lambda _: {})
    with opened(path) as engine:
        total = count(engine, Filter(), "").total
    assert (total.calls, total.errors, total.refused) == (2, 1, 2)
    assert total.codes == {"VALIDATION_ERROR": Healing(1, 1)}


class McpError(Exception):
    """As the SDK's: the error of the protocol as an attribute."""

    error = SimpleNamespace(code=-32000, message="Connection closed", data=None)


def test_an_exception_that_goes_on_is_logged_as_what_it_is(tmp_path: Path) -> None:
    def proceed(error: Exception, _arguments: Any) -> Any:
        raise error

    with ErrorLog(str(tmp_path / "log.sqlite"), server="desk") as log:
        handler = Handler(Options(on_error=(log,)), Framework(lambda: [TOOL], lambda _: "own"), Known("desk"))
        for error in (McpError("Connection closed"), ConnectionResetError(), ValueError("the author's")):
            with pytest.raises(type(error)):
                handler.around_sync(ToolCall("close", {"id": 7}, run="r1"), partial(proceed, error))
    with sqlite3.connect(tmp_path / "log.sqlite") as base:
        rows = base.execute("SELECT outcome FROM fusion_calls ORDER BY time_us, id").fetchall()
    base.close()
    assert rows == [("protocol_error",), ("protocol_error",), ("execution_error",)]
