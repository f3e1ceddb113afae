"""Guards and sinks at the seam of all integrations: what they stop, what they hear, and that they change no answer."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
from collections.abc import Coroutine
from typing import Any

import pytest
from handling import RENAMED, Ran, Refused, Way, asynchronous, call, handler

from fusion_contracts import ToolFault, tool_error
from fusion_contracts.integrations import Ending, Options, ToolCall
from fusion_contracts.integrations.framework import NOT_JUDGED, Handled
from fusion_contracts.loop import Limits, RetryGuard


class Watching:
    """A guard that stops what it is told to, and keeps what it hears."""

    def __init__(self, stop: ToolFault | None = None) -> None:
        self.stop = stop
        self.heard: list[tuple[ToolCall, Ending]] = []
        self.left: list[ToolCall] = []

    def before(self, _call: ToolCall) -> ToolFault | None:
        return self.stop

    def after(self, call: ToolCall, ending: Ending | None) -> None:
        if ending is None:
            self.left.append(call)
        else:
            self.heard.append((call, ending))


def test_a_guard_stops_a_call(way: Way) -> None:
    stop, ran = tool_error("RETRY_LIMIT", "Enough.", severity="critical"), Ran()
    guard, told = Watching(stop), list[Any]()
    made = handler(Options(guard=guard, on_error=(lambda call, ending: told.append((call.tool, ending.text)),)))
    answer = way(made, call(ticket_id=7), ran).answer
    assert answer is not None
    assert (answer.fault, ran.sent, guard.heard, told) == (stop, [], [], [("close_ticket", stop.to_xml())])


def test_a_guard_hears_what_became_of_a_call(way: Way) -> None:
    guard = Watching()
    made = handler(Options(guard=guard))
    way(made, call(ticket_id=7), Ran())
    way(made, call(id=7), Ran())
    (first, succeeded), (second, failed) = guard.heard
    assert (first.action, succeeded) == ("close_ticket", Ending(result={"closed": 7}))
    assert (second.arguments, failed.fault and failed.fault.code, failed.failing, failed.deltas, failed.text) == (
        {"id": 7}, "VALIDATION_ERROR", ("ticket_id", "id"), 1, RENAMED,
    )  # fmt: skip


def test_sinks_of_successes_hear_of_plain_ones_alone(way: Way) -> None:
    heard, failed = list[Any](), list[Any]()
    options = Options(
        on_success=(lambda call, ending: heard.append((call.action, ending)),),
        on_error=(lambda _call, ending: failed.append(ending.fault and ending.fault.code),),
    )
    made = handler(options)
    way(made, call(ticket_id=7), Ran())
    way(made, call(id=7), Ran())
    way(made, call(ticket_id=7), Ran(raises=RuntimeError("no")))
    assert heard == [("close_ticket", Ending(result={"closed": 7}))]
    assert failed == ["VALIDATION_ERROR", "INTERNAL_ERROR"]


def test_hooks_hear_of_failures_that_the_framework_tells_itself(way: Way) -> None:
    class Result:
        is_error = True
        content = ("no luck",)

    guard, told = Watching(), list[Any]()
    options = Options(guard=guard, on_error=(lambda _call, ending: told.append(ending),))
    made = handler(options, failed=lambda _error: "own", structured=lambda _result: NOT_JUDGED)
    with pytest.raises(Refused):
        way(made, call(ticket_id=7), Ran(raises=Refused("say this")))
    result = Result()
    assert way(made, call(ticket_id=7), Ran(result=result)).result is result
    faults = [ToolFault("UNKNOWN", "say this"), ToolFault("UNKNOWN", "no luck")]
    assert [ending.fault for ending in told] == faults
    assert [ending for _, ending in guard.heard] == told
    with pytest.raises(asyncio.CancelledError):
        way(made, call(ticket_id=7), Ran(raises=asyncio.CancelledError()))
    assert len(told) == 2
    assert [one.tool for one in guard.left] == ["close_ticket"]


def test_an_asynchronous_guard_is_awaited() -> None:
    class Later(Watching):
        async def before(self, _call: ToolCall) -> ToolFault | None:  # type: ignore[override]
            await asyncio.sleep(0)
            return tool_error("RETRY_LIMIT", "Enough.")

    answer = asynchronous(handler(Options(guard=Later())), call(ticket_id=7), Ran()).answer
    assert answer is not None
    assert answer.fault.code == "RETRY_LIMIT"


class Steers(Exception):  # noqa: N818 - a framework's own name
    """How a run goes on."""


Steers.__module__, Steers.__qualname__ = "langgraph.errors", "GraphBubbleUp"


@pytest.mark.parametrize("end", [asyncio.CancelledError, concurrent.futures.CancelledError, KeyboardInterrupt, Steers])
def test_a_call_without_an_outcome_is_no_attempt(way: Way, end: type[BaseException]) -> None:
    limits = RetryGuard(limits=Limits(transient=2))
    made = handler(Options(guard=limits), failed=lambda error: "own" if isinstance(error, Steers) else "failure")
    busy = tool_error("SERVER_BUSY", "Later.")
    way(made, call(ticket_id=7), Ran(raises=busy))
    for _ in range(3):  # each is a repeat of what failed; were it an attempt, no second one would run
        with pytest.raises(end):
            way(made, call(ticket_id=7), Ran(raises=end()))
    ran = Ran()
    assert way(made, call(ticket_id=7), ran).answer is None
    assert ran.sent == [{"ticket_id": 7}]


def test_a_guard_that_waits_hears_of_a_call_that_is_cancelled() -> None:
    class Waits(Watching):
        async def after(self, call: ToolCall, ending: Ending | None) -> None:  # type: ignore[override]
            await asyncio.sleep(0.01)
            super().after(call, ending)

    guard = Waits()
    made = handler(Options(guard=guard))

    async def forever(_arguments: Any) -> Any:
        await asyncio.sleep(60)

    async def cancelled() -> None:
        running = asyncio.create_task(made.around(call(ticket_id=7), forever))
        await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert ([one.tool for one in guard.left], guard.heard) == (["close_ticket"], [])


def test_a_call_that_is_given_up_is_closed_wherever_that_happens() -> None:
    class Waits(Watching):
        async def after(self, call: ToolCall, ending: Ending | None) -> None:  # type: ignore[override]
            raise AssertionError(f"nothing can be awaited any more: {call}, {ending}")

    async def forever(_arguments: Any) -> Any:
        await asyncio.Event().wait()

    async def started() -> Coroutine[Any, Any, Handled]:
        running = handler(Options(guard=Waits())).around(call(ticket_id=7), forever)
        contextvars.copy_context().run(running.send, None)
        return running

    asyncio.run(started()).close()


def test_hooks_that_fail_change_no_answer(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def before(self, _call: ToolCall) -> None:
            raise OSError("store down")

        def after(self, _call: ToolCall, _ending: Ending | None) -> None:
            raise OSError("store down")

    def sink(_call: ToolCall, _ending: Ending) -> None:
        raise OSError("disk full")

    made = handler(Options(guard=Broken(), on_error=(sink,)))
    answer = way(made, call(id=7), Ran()).answer
    assert answer is not None
    assert answer.text == RENAMED
    failed = "A guard failed: the call goes on without it"
    assert caplog.messages == [failed, "A sink of errors failed", failed]
