"""Load shedding: who runs, who waits, who is sent away, and with what."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts import ToolFault, fault_boundary, tool_error
from fusion_contracts.runtime import ConcurrencyLimit, RateLimit

SUGGESTION = "Wait, then call again; send calls of this tool one after the other, or in smaller batches."


def busy(active: int, max_active: int, queued: int, max_queued: int, seconds: float = 1) -> ToolFault:
    return tool_error(
        "SERVER_BUSY",
        f"The tool is at capacity: {active} running, {queued} waiting.",
        suggestion=SUGGESTION,
        details={"active": active, "max_active": max_active, "queued": queued, "max_queued": max_queued},
        retry_after=seconds,
    )


def refusal(function: Callable[[], Any]) -> ToolFault:
    with pytest.raises(ToolFault) as refused:
        function()
    return refused.value


def entered(limit: ConcurrencyLimit, tool: str = "") -> None:
    with limit.slot(tool):
        pass


def test_one_more_than_may_run_is_sent_away_with_the_queues_state() -> None:
    limit = ConcurrencyLimit(2, retry_after=1.5)
    with limit.slot("slow"), limit.slot("slow"):
        assert refusal(lambda: entered(limit, "slow")) == busy(2, 2, 0, 0, 1.5)
    entered(limit, "slow")


def test_tools_are_counted_by_themselves_and_forgotten_when_idle() -> None:
    limit = ConcurrencyLimit(1)
    with limit.slot("a"):
        entered(limit, "b")
        assert list(limit._lanes) == ["a"]
    assert limit._lanes == {}


def test_a_place_is_free_again_after_a_failure() -> None:
    limit = ConcurrencyLimit(1)

    @fault_boundary(answer="text")
    @limit
    def tool() -> str:
        raise ValueError("x")

    assert "INTERNAL_ERROR" in tool()
    assert "INTERNAL_ERROR" in tool()


def test_threads_wait_in_order_and_the_queue_is_bounded() -> None:
    limit = ConcurrencyLimit(1, queued=2)
    order: list[int] = []

    def waiting(number: int) -> None:
        with limit.slot():
            order.append(number)

    threads = [threading.Thread(target=waiting, args=(number,)) for number in range(2)]
    with limit.slot():
        for number, thread in enumerate(threads):
            thread.start()
            until(lambda number=number: len(limit._lanes[""].waiting) > number)  # type: ignore[misc]
        assert refusal(lambda: entered(limit)) == busy(1, 1, 2, 2)
    for thread in threads:
        thread.join()
    assert order == [0, 1]
    assert limit._lanes == {}


def until(reached: Callable[[], bool]) -> None:
    """Let other threads run until it holds: no time is measured."""
    event = threading.Event()
    while not reached():
        event.wait(0)


async def queue_of(limit: ConcurrencyLimit, count: int, tool: Callable[[int], Any]) -> list[asyncio.Task[Any]]:
    tasks = []
    for number in range(count):
        tasks.append(asyncio.create_task(tool(number)))
        await asyncio.sleep(0)
    return tasks


def test_coroutines_wait_in_order_and_the_queue_is_bounded() -> None:
    limit = ConcurrencyLimit(1, queued=2)

    async def main() -> tuple[list[int], list[Any]]:
        order: list[int] = []
        gate = asyncio.Event()

        @limit
        async def tool(number: int) -> int:
            order.append(number)
            await gate.wait()
            return number

        tasks = await queue_of(limit, 4, tool)
        gate.set()
        return order, await asyncio.gather(*tasks, return_exceptions=True)

    order, results = asyncio.run(main())
    assert order == [0, 1, 2]
    assert results == [0, 1, 2, busy(1, 1, 2, 2)]
    assert limit._lanes == {}


def test_one_who_stops_waiting_leaves_the_queue() -> None:
    limit = ConcurrencyLimit(1, queued=1)

    async def main() -> tuple[Any, ...]:
        gate = asyncio.Event()

        @limit
        async def tool(number: int) -> int:
            await gate.wait()
            return number

        first, second = await queue_of(limit, 2, tool)
        second.cancel()
        await asyncio.wait([second])
        (third,) = await queue_of(limit, 1, lambda _: tool(3))
        gate.set()
        return await asyncio.gather(first, second, third, return_exceptions=True)

    first, second, third = asyncio.run(main())
    assert (first, type(second), third) == (0, asyncio.CancelledError, 3)
    assert limit._lanes == {}


def test_a_place_granted_to_one_who_is_cancelled_goes_to_the_next() -> None:
    limit = ConcurrencyLimit(1, queued=2)

    async def main() -> tuple[Any, ...]:
        gate = asyncio.Event()

        @limit
        async def tool(number: int) -> int:
            if not number:
                await gate.wait()
            return number

        tasks = await queue_of(limit, 3, tool)
        gate.set()
        await asyncio.sleep(0)  # the first ends and grants its place to the second ...
        tasks[1].cancel()  # ... who is gone before it is told
        return tuple(await asyncio.gather(*tasks, return_exceptions=True))

    first, second, third = asyncio.run(main())
    assert (first, type(second), third) == (0, asyncio.CancelledError, 2)
    assert limit._lanes == {}


def test_a_thread_and_a_coroutine_share_a_tool() -> None:
    limit = ConcurrencyLimit(1, queued=1)

    async def main() -> None:
        async with limit.slot():
            waiting = asyncio.create_task(asyncio.to_thread(entered, limit))
            while not limit._lanes[""].waiting:  # noqa: ASYNC110 - a thread gets there, which sets no event
                await asyncio.sleep(0)
        await waiting

    asyncio.run(main())
    assert limit._lanes == {}


@pytest.mark.parametrize(("active", "queued"), [(0, 0), (-1, 0), (1, -1)])
def test_impossible_limits_are_refused(active: int, queued: int) -> None:
    with pytest.raises(ValueError, match=r"^active must be 1 or more and queued 0 or more, not "):
        ConcurrencyLimit(active, queued=queued)


def test_the_decorator_keeps_what_a_framework_reads() -> None:
    async def tool(id: str) -> str:  # noqa: A002 - as tools are written
        """What it does."""
        return id

    for limit in (ConcurrencyLimit(1), RateLimit(1, per=1)):
        limited = limit(tool)
        assert inspect.signature(limited) == inspect.signature(tool)
        assert inspect.iscoroutinefunction(limited)
        assert (limited.__name__, limited.__doc__) == ("tool", "What it does.")


# Rate


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_one_call_too_many_is_told_the_seconds() -> None:
    clock = Clock()
    limit = RateLimit(2, per=10, clock=clock)
    limit.take()
    limit.take()
    assert refusal(limit.take) == tool_error(
        "RATE_LIMITED",
        "Called too often: at most 2 calls in 10 seconds.",
        suggestion="Wait 5 seconds, then call again.",
        retry_after=5,
    )
    clock.now += 4.9
    assert refusal(limit.take).recovery == "Wait 1 second, then call again."
    clock.now += 0.1
    limit.take()


def test_a_refused_call_is_not_counted() -> None:
    clock = Clock()
    limit = RateLimit(1, per=1, clock=clock)
    limit.take()
    for _ in range(5):
        assert refusal(limit.take).message == "Called too often: at most 1 call in 1 second."
    clock.now += 1
    limit.take()


def test_keys_are_counted_by_themselves_and_not_repeated() -> None:
    limit = RateLimit(1, per=60, clock=Clock())
    limit.take("user<1>")
    limit.take("user<2>")
    assert "user" not in refusal(lambda: limit.take("user<1>")).to_xml()


def test_keys_that_are_full_again_are_forgotten() -> None:
    clock = Clock()
    limit = RateLimit(1, per=1, clock=clock)
    for number in range(3000):
        limit.take(str(number))
        clock.now += 1
    assert len(limit._full_at) <= RateLimit._SWEEP + 1


def test_a_limited_function_raises_the_fault_plain_or_async() -> None:
    limit = RateLimit(1, per=7, clock=Clock())

    @limit
    def one() -> int:
        return 1

    @limit
    async def two() -> int:
        return 2

    assert one() == 1
    assert refusal(one).retry_after == 7
    assert asyncio.run(two()) == 2
    assert refusal(lambda: asyncio.run(two())).code == "RATE_LIMITED"


@pytest.mark.parametrize(("calls", "per"), [(0, 1), (1, 0), (1, -1), (1, float("inf")), (1, float("nan"))])
def test_impossible_rates_are_refused(calls: int, per: float) -> None:
    with pytest.raises(ValueError, match=r"^calls must be 1 or more and per a time above 0, not "):
        RateLimit(calls, per=per)


@given(
    st.integers(1, 50),
    st.floats(0.01, 1e5),
    st.floats(0, 1e9),
    st.lists(st.floats(0, 100), max_size=30),
)
def test_whoever_waits_as_told_is_served(calls: int, per: float, start: float, pauses: list[float]) -> None:
    clock = Clock()
    clock.now = start
    limit = RateLimit(calls, per=per, clock=clock)
    for pause in pauses:
        clock.now += pause
        try:
            limit.take()
        except ToolFault as fault:
            clock.now += fault.retry_after or 0
            limit.take()


@given(st.integers(1, 20), st.floats(0.1, 1e4))
def test_a_full_bucket_gives_its_calls_at_once_and_no_more(calls: int, per: float) -> None:
    limit = RateLimit(calls, per=per, clock=Clock())
    for _ in range(calls):
        limit.take()
    assert refusal(limit.take).code == "RATE_LIMITED"
