"""Batches: bounded, resumable, their failures collected and their progress told; in threads and in coroutines alike."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts import ToolFault, tool_error
from fusion_contracts.loop import PartialResult, run_batch, run_batch_sync
from fusion_contracts.loop.cursor import Cursor, digest_of
from fusion_contracts.loop.partial_result import FailedItem
from fusion_contracts.loop.retrying import can_help

SLOW = tool_error("TIMEOUT", "Slow.")
MISSING = tool_error("NOT_FOUND", "Missing.")


def run_async(items: Any, work: Callable[[Any], Any], **options: Any) -> PartialResult[Any]:
    async def awaited(item: Any) -> Any:
        await asyncio.sleep(0)
        return work(item)

    return asyncio.run(run_batch(items, awaited, **options))


BOTH = pytest.mark.parametrize("run", [run_batch_sync, run_async], ids=["sync", "async"])


def outcomes(result: PartialResult[Any]) -> tuple[list[Any], list[tuple[str, str]]]:
    return list(result.items), [(each.item, each.fault.code) for each in result.failed]


def refuse(item: int) -> int:
    """Even numbers are missing, multiples of five are slow."""
    if item % 5 == 0:
        raise SLOW
    return item if item % 2 else MISSING  # type: ignore[return-value]  # returned or raised, it is the same


@BOTH
def test_results_stand_in_order_and_failures_are_collected(run: Any) -> None:
    result = run(range(1, 8), refuse)
    failed = [("2", "NOT_FOUND"), ("4", "NOT_FOUND"), ("5", "TIMEOUT"), ("6", "NOT_FOUND")]
    assert outcomes(result) == ([1, 3, 7], failed)
    assert (result.total, result.status) == (7, "partial")
    assert result.cursor == f"7:3:4:{digest_of([str(item) for item in range(1, 8)])}"


@BOTH
def test_a_batch_that_succeeds_is_complete(run: Any) -> None:
    result = run(["a", "b"], str.upper)
    assert (result.items, result.status, result.cursor) == (("A", "B"), "complete", None)
    assert run([], str.upper).status == "empty"


@BOTH
def test_what_is_given_up_is_still_missing_at_the_end(run: Any) -> None:
    first = run([1, 2, 3], refuse, page=2)
    second = run([1, 2, 3], refuse, cursor=first.cursor)
    assert (outcomes(second), second.cursor, second.earlier) == (([3], []), None, 1)
    assert second.status == "partial"
    assert second.following == (
        "2 of 3 done, 1 more not done. Do not report the task as done while anything is missing."
    )


@BOTH
def test_time_and_failures_bound_what_is_begun(run: Any) -> None:
    ticks = iter(range(1000))
    timed = run(range(100), lambda item: item, limit=1, seconds=5, clock=lambda: next(ticks))
    assert 1 <= len(timed.items) < 10
    assert timed.cursor is not None
    down = run(range(100), lambda _: SLOW, limit=1, most_failed=3)
    assert len(down.failed) == 3
    assert down.cursor == f"3:0:0,1,2:{digest_of([str(item) for item in range(100)])}"


@BOTH
@settings(max_examples=30)
@given(data=st.data())
def test_resuming_does_every_item_once_whatever_fails(run: Any, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 12))
    hopeless = data.draw(st.sets(st.integers(0, 11)))
    fails = dict(enumerate(data.draw(st.lists(st.integers(0, 3), min_size=12, max_size=12))))
    done: list[int] = []
    lock = threading.Lock()

    def work(item: int) -> int:
        if item in hopeless:
            raise MISSING
        with lock:
            if fails[item]:
                fails[item] -= 1
                raise SLOW
            done.append(item)
        return item

    page, limit = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    cursor, handed, calls = None, [], 0
    while True:
        result = run(range(count), work, cursor=cursor, page=page, limit=limit)
        handed += result.items
        cursor, calls = result.cursor, calls + 1
        if cursor is None:
            break
    expected = sorted(set(range(count)) - hopeless)
    assert (sorted(done), sorted(handed)) == (expected, expected)
    assert calls <= 4 * 12 + 1
    assert result.earlier + len(result.items) == len(expected)
    assert (result.status in ("complete", "empty")) is (len(expected) == count)


# Bounds


def test_at_most_so_many_coroutines_at_a_time() -> None:
    active, most = 0, 0

    async def work(item: int) -> int:
        nonlocal active, most
        active += 1
        most = max(most, active)
        await asyncio.sleep(0)
        active -= 1
        return item

    assert len(asyncio.run(run_batch(range(20), work, limit=3)).items) == 20
    assert most == 3


def test_at_most_so_many_threads_at_a_time() -> None:
    barrier = threading.Barrier(3)  # passes only if three run at once; a fourth would leave one behind
    names: set[str] = set()

    def work(item: int) -> int:
        names.add(threading.current_thread().name)
        barrier.wait(timeout=120)
        return item

    assert len(run_batch_sync(range(12), work, limit=3).items) == 12
    assert len(names) == 3


@BOTH
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "limit must be a whole number from 1, not 0"),
        ({"page": -1}, "page must be a whole number from 1, not -1"),
        ({"most_failed": True}, "most_failed must be a whole number from 1, not True"),
        ({"seconds": 0}, "seconds must be above 0, not 0"),
    ],
)
def test_a_bound_that_bounds_nothing_is_refused(run: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        run([1], refuse, **options)


# Cursors

HERE = digest_of(["1", "2", "3"])


@BOTH
@pytest.mark.parametrize(
    ("cursor", "why"),
    [
        ("next", "it is none that this tool has given"),
        ("2:0::00000000", "it belongs to another list of items"),
        (f"4:0::{HERE}", "it is none that this tool has given"),
        (f"2:0:2:{HERE}", "it is none that this tool has given"),
        (f"2:0:1,0:{HERE}", "it is none that this tool has given"),
        (f"2:0:0,0:{HERE}", "it is none that this tool has given"),
        (f"2:3::{HERE}", "it is none that this tool has given"),
    ],
)
def test_a_cursor_that_is_none_is_a_validation_error(run: Any, cursor: str, why: str) -> None:
    with pytest.raises(ToolFault) as caught:
        run([1, 2, 3], refuse, cursor=cursor)
    assert (caught.value.code, caught.value.message) == ("VALIDATION_ERROR", f"The cursor cannot be used: {why}.")
    assert dict(caught.value.details) == {"cursor": why}


@BOTH
def test_an_empty_cursor_begins_anew(run: Any) -> None:
    assert run([1], refuse, cursor="").items == run([1], refuse, cursor=None).items == (1,)


@given(st.lists(st.text(), max_size=5), st.lists(st.text(), max_size=5))
def test_a_digest_tells_lists_apart(one: list[str], other: list[str]) -> None:
    assert (digest_of(one) == digest_of(other)) is (one == other)
    assert Cursor.read(str(Cursor(len(one), 0, (), digest_of(one))), one).next == len(one)


# Progress


@BOTH
def test_progress_rises_to_the_total_and_goes_on_where_it_stopped(run: Any) -> None:
    told: list[tuple[float, float, str]] = []
    first = run([1, 2, 3, 5], refuse, page=2, progress=lambda *heard: told.append(heard))
    run([1, 2, 3, 5], refuse, cursor=first.cursor, limit=1, progress=lambda *heard: told.append(heard))
    assert [heard[0] for heard in told][-1] == 4
    assert [heard[0] for heard in told] == sorted({heard[0] for heard in told})
    assert {heard[1] for heard in told} == {4}
    assert told[-1][2] == "4 of 4, 1 failed"


@BOTH
def test_whoever_listens_may_be_gone(run: Any, caplog: pytest.LogCaptureFixture) -> None:
    def progress(*_: object) -> None:
        raise ConnectionResetError

    assert run([1, 3], refuse, progress=progress).items == (1, 3)
    assert [record.getMessage() for record in caplog.records] == [
        "A batch's progress cannot be told; it goes on without"
    ]


def test_progress_may_be_async_where_the_batch_is() -> None:
    told: list[float] = []

    async def report_progress(progress: float, total: float | None = None, message: str | None = None) -> None:
        await asyncio.sleep(0)
        told.append(progress)
        if progress == 2:
            raise ConnectionResetError

    assert run_async([1, 3, 7], refuse, progress=report_progress, limit=1).items == (1, 3, 7)
    assert told == [1, 2]
    with pytest.raises(TypeError, match=r"^progress must be a plain function here: an async one is for run_batch$"):
        run_batch_sync([1], refuse, progress=report_progress)


# What is no failure


class ApprovalRequired(Exception):  # noqa: N818 - as pydantic-ai's
    __module__ = "pydantic_ai.exceptions"


@BOTH
@pytest.mark.parametrize("steering", [ApprovalRequired, SystemExit])
def test_what_steers_the_run_ends_the_batch(run: Any, steering: type[BaseException]) -> None:
    worked: list[int] = []

    def work(item: int) -> int:
        worked.append(item)
        raise steering

    with pytest.raises(steering):
        run(range(100), work, limit=1)
    assert worked == [0]


def test_a_cancelled_batch_cancels_its_work() -> None:
    ended: list[int] = []
    begun = asyncio.Event()

    async def work(item: int) -> int:
        if item:
            begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(item)
        return item

    async def main() -> None:
        batch = asyncio.ensure_future(run_batch(range(5), work, limit=2))
        await begun.wait()
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch

    asyncio.run(main())
    assert sorted(ended) == [0, 1]


def test_threads_see_the_callers_context() -> None:
    user: ContextVar[str] = ContextVar("user")
    user.set("ada")
    assert run_batch_sync([1, 2], lambda _: user.get(), limit=2).items == ("ada", "ada")


@BOTH
def test_what_a_failed_item_costs_does_not_grow_with_their_number(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def counted(item: FailedItem) -> bool:
        nonlocal looks
        looks += 1
        return can_help(item.fault)

    monkeypatch.setattr(FailedItem, "retryable", property(counted))
    assert len(run(range(1_000), lambda _: MISSING).failed) == 1_000
    assert looks <= 10_000
