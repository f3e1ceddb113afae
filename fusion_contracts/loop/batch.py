"""Work on many items in one call: some at a time, failures collected, to be resumed where it stopped.

Each item is tried once in a call. What was begun is always finished, so a cursor never leads to an item that succeeded.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from inspect import isawaitable, iscoroutine
from typing import Any, Generic, TypeAlias, TypeVar

from fusion_contracts.loop.cursor import Cursor
from fusion_contracts.loop.partial_result import FailedItem, PartialResult
from fusion_contracts.runtime.envelope import clean
from fusion_contracts.runtime.fault import ToolFault

__all__ = ["Progress", "run_batch", "run_batch_sync"]

Given = TypeVar("Given")
Made = TypeVar("Made")

Progress: TypeAlias = Callable[[float, float, str], Any]
"""Told how many items are through, of how many, and that in words: `ctx.report_progress` of FastMCP and the MCP SDK."""

_log = logging.getLogger("fusion_contracts.loop")


async def run_batch(  # noqa: PLR0913 - one parameter for each bound
    items: Iterable[Given],
    work: Callable[[Given], Awaitable[Made]],
    *,
    cursor: str | None = None,
    name: Callable[[Given], str] = str,
    limit: int = 8,
    page: int | None = None,
    seconds: float | None = None,
    most_failed: int = 100,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> PartialResult[Made]:
    """Await `work(item)` for each item, at most `limit` at a time: the results in the items' order, and the failures.

    A raised exception and a returned fault are failures of that item alone. `cursor` is that of an earlier result for
    the same items: it goes on behind what was tried, and tries again what a retry can help. `name` is what the model
    calls an item. No new item is begun after `page` items, after `seconds`, or once `most_failed` wait to be tried
    again; the result then has a cursor. `progress` may be plain or async; where it fails, the batch goes on without.

    Raises the VALIDATION_ERROR fault on a cursor that is not of these items, ValueError on a bound below 1, and what
    `work` raises where that is no failure, such as cancellation. Runs on asyncio.
    """
    import asyncio  # whoever awaits this has loaded it

    bounds = _Bounds(limit, page, seconds, most_failed, clock)
    batch: _Batch[Given, Made] = _Batch(items, name, cursor, bounds, progress)
    telling = asyncio.Lock()

    async def worker() -> None:
        for index in batch.taken():
            try:
                batch.finished(index, await work(batch.items[index]))
            except Exception as error:  # noqa: BLE001 - one item's failure is its own
                batch.failed(index, error)
            async with telling:  # in order: a notification must not go back
                told = batch.tell()
                if isawaitable(told):
                    await batch.awaited(told)

    workers = [asyncio.ensure_future(worker()) for _ in range(min(limit, len(batch.items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for each in workers:
            each.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return batch.result()


def run_batch_sync(  # noqa: PLR0913 - as run_batch
    items: Iterable[Given],
    work: Callable[[Given], Made],
    *,
    cursor: str | None = None,
    name: Callable[[Given], str] = str,
    limit: int = 8,
    page: int | None = None,
    seconds: float | None = None,
    most_failed: int = 100,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> PartialResult[Made]:
    """As `run_batch`, with plain functions in `limit` threads, which see the caller's context variables.

    Interrupted, it begins no further item and waits for those that run. Raises TypeError where `progress` is async.
    """
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    bounds = _Bounds(limit, page, seconds, most_failed, clock)
    batch: _Batch[Given, Made] = _Batch(items, name, cursor, bounds, progress)
    telling = threading.Lock()

    def worker() -> None:
        for index in batch.taken():
            try:
                batch.finished(index, work(batch.items[index]))
            except Exception as error:  # noqa: BLE001 - one item's failure is its own
                batch.failed(index, error)
            with telling:
                told = batch.tell()
            if iscoroutine(told):
                told.close()
                raise TypeError("progress must be a plain function here: an async one is for run_batch")

    with ThreadPoolExecutor(max_workers=limit) as threads:
        running = [threads.submit(copy_context().run, worker) for _ in range(min(limit, len(batch.items)))]
        try:
            for each in running:
                each.result()
        finally:
            batch.stop()
    return batch.result()


class _Bounds:
    """When no new item is begun."""

    def __init__(
        self, limit: int, page: int | None, seconds: float | None, most_failed: int, clock: Callable[[], float]
    ) -> None:
        for given, bound in (("limit", limit), ("page", page), ("most_failed", most_failed)):
            if bound is not None and (type(bound) is not int or bound < 1):
                raise ValueError(f"{given} must be a whole number from 1, not {bound!r:.40}")
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds must be above 0, not {seconds!r:.40}")
        self.page = page
        self.most_failed = most_failed
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def reached(self, begun: int, waiting: int) -> bool:
        """Whether so many begun items, and so many that wait to be tried again, are enough."""
        if waiting >= self.most_failed or (self.page is not None and begun >= self.page):
            return True
        return begun > 0 and self._end is not None and self._clock() >= self._end


class _Batch(Generic[Given, Made]):
    """The items, what has become of each, and what is next. Every method may be called from any thread."""

    def __init__(
        self,
        items: Iterable[Given],
        name: Callable[[Given], str],
        cursor: str | None,
        bounds: _Bounds,
        progress: Progress | None,
    ) -> None:
        self.items = list(items)
        self._names = [clean(str(name(item))) for item in self.items]
        self._start = Cursor.read(cursor, self._names)
        self._again = list(self._start.again)  # those that wait, the first at the end
        self._again.reverse()
        self._next = self._start.next
        self._begun = 0
        self._told = 0
        self._made: dict[int, Made] = {}
        self._failed: dict[int, FailedItem] = {}
        self._waiting = 0  # of them, those that a retry can help
        self._bounds = bounds
        self._progress = progress
        self._lock = threading.Lock()
        self._stopped = False

    def taken(self) -> Iterator[int]:
        """Indexes to work on, each handed out once: first what is tried again."""
        while (index := self._take()) is not None:
            yield index

    def finished(self, index: int, value: Made) -> None:
        """Note what `work` returned."""
        if isinstance(value, ToolFault) and value.is_error:
            self.failed(index, value)
            return
        with self._lock:
            self._made[index] = value

    def failed(self, index: int, error: Exception) -> None:
        """Note what `work` raised. Raises it again where it is no failure."""
        from fusion_contracts.loop.exceptions import told

        try:
            fault = told(error).fault
        except BaseException:
            self.stop()
            raise
        with self._lock:
            item = self._failed[index] = FailedItem(self._names[index], fault)
            self._waiting += item.retryable

    def stop(self) -> None:
        """Hand out no more."""
        self._stopped = True

    def tell(self) -> Any:
        """Tell the progress; an async function's awaitable is handed back."""
        if self._progress is None:
            return None
        with self._lock:
            finished, failures = len(self._made) + len(self._failed), len(self._failed)
        through, total = self._start.next - len(self._start.again) + finished, len(self.items)
        if through <= self._told:  # another worker has told as much; MCP's progress must rise each time
            return None
        self._told = through
        words = f"{through:,} of {total:,}" + (f", {failures:,} failed" if failures else "")
        try:
            return self._progress(through, total, words)
        except Exception:  # noqa: BLE001 - whoever listens may be gone; the work goes on
            self._unheard()
            return None

    async def awaited(self, told: Awaitable[Any]) -> None:
        """Wait until the progress is told."""
        try:
            await told
        except Exception:  # noqa: BLE001 - as above
            self._unheard()

    def result(self) -> PartialResult[Made]:
        """What there is now: complete, or with the cursor that leads on."""
        failed = [self._failed[index] for index in sorted(self._failed)]
        again = sorted([*self._again, *(index for index, each in self._failed.items() if each.retryable)])
        given_up = self._start.given_up + sum(not each.retryable for each in failed)
        rest = Cursor(self._next, given_up, tuple(again), self._start.digest)
        items = tuple(self._made[index] for index in sorted(self._made))
        more = self._next < len(self.items) or bool(again)
        return PartialResult(items, tuple(failed), str(rest) if more else None, len(self.items), self._start.done)

    def _take(self) -> int | None:
        with self._lock:
            if self._stopped or self._bounds.reached(self._begun, self._waiting):
                return None
            if self._again:
                index = self._again.pop()
            elif self._next < len(self.items):
                index = self._next
                self._next += 1
            else:
                return None
            self._begun += 1
            return index

    def _unheard(self) -> None:
        self._progress = None
        _log.warning("A batch's progress cannot be told; it goes on without", exc_info=True)
