"""What the integrations of agent frameworks share: sets of tools, parts of a call, the end of retries."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from fusion_contracts import tool_error
from fusion_contracts.integrations import Ending, Options, ToolCall, warn
from fusion_contracts.integrations.last_retry import no_retry_left
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.integrations.views import Missing, Refused, Views, copies, live_of
from fusion_contracts.runtime.releases import Known, Release


@dataclass(frozen=True)
class Tool:
    """A tool of a framework."""

    name: str
    argument: str = "ticket_id"


class SteeringError(Exception):
    """How a framework goes on."""


def listed(tool: Tool) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {tool.argument: {"type": "integer"}}, "required": [tool.argument]}
    return [{"name": tool.name, "inputSchema": schema}]


HINTED = listed(Tool("close", "id"))[0] | {"annotations": {"readOnlyHint": True}}
KNOWN = Known("desk", releases=(Release("1.0.0", 1, contract_of_tools([HINTED], "desk")),))


CRASHED = """<tool_error code="INTERNAL_ERROR" severity="critical">
  <message>The tool failed with an internal error (RuntimeError).</message>
  <recovery>The call may have taken effect: do not blindly retry. Check first, or report the failure.</recovery>
</tool_error>"""


class Guard:
    """A hook that keeps what it was told of."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def before(self, call: ToolCall, /) -> None:
        self.seen.append(f"before {call.tool}")

    def after(self, call: ToolCall, ending: Ending | None, /) -> None:
        self.seen.append(f"after {call.tool} {ending.fault.code if ending and ending.fault else 'ok'}")


def views(options: Options | None = None) -> Views:
    return Views(
        options or Options(),
        KNOWN,
        listed=listed,
        own=lambda error: isinstance(error, SteeringError),
        cause=lambda error: error.__cause__ or error,
    )


def test_equal_sets_of_tools_have_one_handler() -> None:
    seen = views()
    first = seen.handler([Tool("close")])
    assert seen.handler(iter([Tool("close")])) is first
    assert seen.handler([Tool("close"), Tool("open")]) is not first
    assert seen.handler([Tool("close")]) is first
    assert list(live_of(first).contract.tools) == ["close"]


def test_only_the_last_sets_of_tools_are_kept() -> None:
    seen = views()
    first = seen.handler([Tool("close")])
    handlers = [seen.handler([Tool(f"close_{number}")]) for number in range(8)]
    assert [seen.handler([Tool(f"close_{number}")]) for number in range(8)] == handlers
    assert seen.handler([Tool("close")]) is not first


def test_tools_without_hints_lost_none() -> None:
    deltas = live_of(views().handler([Tool("close")])).awareness.all_deltas
    assert [(delta.severity, delta.field, delta.kind) for delta in deltas] == [("BREAKING", "ticket_id", "structure")]


def around(
    error: BaseException | None,
    options: Options | None = None,
    part: Any = "whole",
    sent: Any = None,
    name: str = "close",
) -> Any:
    async def proceed(arguments: Any) -> Any:
        if error is not None:
            raise error
        warn(tool_error("DEPRECATED", "Old", severity="warning"))
        return arguments

    handler = views(options).handler([Tool("close")])
    return asyncio.run(handler.around(ToolCall(name, sent or {"ticket_id": 1}), proceed, part=part))


def test_what_an_exception_of_a_framework_means() -> None:
    refused, missing, failed = Refused(), Missing(), RuntimeError("hunter2")
    assert around(refused, sent={"ticket_id": "x"}).answer.fault.code == "VALIDATION_ERROR"
    assert around(missing, name="whoami").answer.fault.code == "UNKNOWN_ACTION"
    assert around(failed).answer.text == CRASHED
    with pytest.raises(SteeringError):
        around(SteeringError())


def test_a_refusal_with_which_nothing_is_wrong_is_the_failure_behind_it() -> None:
    refused = Refused()
    refused.__cause__ = KeyError("x")
    assert "internal error (KeyError)" in around(refused).answer.text


def test_two_parts_are_one_call_to_a_guard() -> None:
    guard = Guard()
    options = Options(guard=guard)
    assert around(None, options, "arguments").warnings == ()
    handled = around(None, options, "tool")
    assert guard.seen == ["before close", "after close DEPRECATED"]
    assert [warning.fault.code for warning in handled.warnings] == ["DEPRECATED"]
    assert copies(handled.warnings) == {
        "io.github.fusion-contracts/warnings": [{"code": "DEPRECATED", "severity": "warning", "message": "Old"}]
    }


def test_a_call_that_ends_with_its_arguments_is_told_then() -> None:
    guard = Guard()
    around(Refused(), Options(guard=guard), "arguments", {"ticket_id": "x"})
    assert guard.seen == ["before close", "after close VALIDATION_ERROR"]


def test_arguments_that_changed_are_refused_with_the_arguments_and_not_again_with_the_tool() -> None:
    gone = {"ticket_id": 1, "id": 1}
    assert around(None, part="arguments", sent=gone).answer.fault.code == "VALIDATION_ERROR"
    assert around(None, part="tool", sent=gone).result == gone  # another part of the program let it through


def test_unknown_arguments_are_remarked_upon_once() -> None:
    options = Options(unknown="warn")
    gone = {"ticket_id": 1, "id": 1}
    assert around(None, options, "arguments", gone).warnings == ()
    assert [warning.fault.code for warning in around(None, options, "tool", gone).warnings] == [
        "VALIDATION_ERROR",
        "DEPRECATED",
    ]


REFUSED = (
    '<validation_error action="close"><field name="ticket_id">Missing.</field>'
    '<field name="note">Wrong type.</field></validation_error>'
)


def test_the_end_of_retries_names_each_attempt() -> None:
    first = no_retry_left("close", [REFUSED, "try again"])
    assert first.to_xml() == (
        '<tool_error code="RETRY_LIMIT" severity="critical">\n'
        "  <message>close failed 2 times, and no retry is left.</message>\n"
        "  <recovery>Do not call close again in this run. Go on without it or report what is missing.</recovery>\n"
        "  <details>\n"
        '    <detail key="attempt 1">ticket_id: Missing. note: Wrong type.</detail>\n'
        '    <detail key="attempt 2">try again</detail>\n'
        "  </details>\n"
        "</tool_error>"
    )
    again = no_retry_left("close", [REFUSED, first.to_xml(), tool_error("CONFLICT", "Taken.").to_xml()])
    assert dict(again.details) == {
        "attempt 1": "ticket_id: Missing. note: Wrong type.",
        "attempt 2": "try again",
        "attempt 3": "Taken.",
    }


def test_the_end_of_retries_names_the_last_attempts_in_few_words() -> None:
    fault = no_retry_left("x" * 500, [f"{number}{'y' * 1000}" for number in range(9)])
    assert list(fault.details) == ["attempt 5", "attempt 6", "attempt 7", "attempt 8", "attempt 9"]
    assert max(map(len, fault.details.values())) <= 300
    assert len(fault.message) < 200
