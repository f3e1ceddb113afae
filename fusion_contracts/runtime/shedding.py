"""Load shedding: answer at once that a tool is busy, or called too often, before it drowns."""

from __future__ import annotations

import functools
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fusion_contracts.runtime.fault import ToolFault, checked_seconds, tool_error
from fusion_contracts.runtime.wrapping import is_async, is_generator

__all__ = ["ConcurrencyLimit", "RateLimit"]

Function = TypeVar("Function", bound=Callable[..., Any])

_ROUNDING = 1e-6  # seconds: what a clock's floating point loses is no call too many


class ConcurrencyLimit:
    """At most `active` calls of a tool at a time, at most `queued` more waiting, in order; the next is SERVER_BUSY.

    One object serves many tools, each counted by itself, from threads and from coroutines alike. Decorate a tool's
    function with it (below `fault_boundary`), or hold a slot: `with limit.slot("name"):`, `async with ...`. Both raise
    the ToolFault where the queue is full; it carries the queue's state and `retry_after` (seconds).

    Raises ValueError where `active` is not above zero or `queued` below it.
    """

    def __init__(self, active: int, *, queued: int = 0, retry_after: float = 1) -> None:
        if active < 1 or queued < 0:
            raise ValueError(f"active must be 1 or more and queued 0 or more, not {active} and {queued}")
        self._active = active
        self._queued = queued
        self._retry_after = checked_seconds(retry_after)
        self._lanes: dict[str, _Lane] = {}  # only of tools in use: names come from callers
        self._lock = threading.Lock()

    def slot(self, tool: str = "") -> _Slot:
        """A context manager, plain and async, that holds one of the tool's places."""
        return _Slot(self, tool)

    def __call__(self, function: Function) -> Function:
        """Decorate: each call holds a slot under the function's name."""
        tool = getattr(function, "__name__", "")
        return _wrapped(function, lambda: self.slot(tool))

    def _enter(self, tool: str) -> Future[None] | None:
        """None where a place is free, else what ends when one is. Raises SERVER_BUSY where the queue is full."""
        with self._lock:
            lane = self._lanes.setdefault(tool, _Lane())
            if lane.active < self._active:
                lane.active += 1
                return None
            if len(lane.waiting) < self._queued:
                place: Future[None] = Future()
                lane.waiting.append(place)
                return place
            fault = self._busy(lane)
        raise fault

    def _leave(self, tool: str) -> None:
        """Hand the place to the one who waited longest, or free it."""
        while True:
            with self._lock:
                lane = self._lanes[tool]
                if not lane.waiting:
                    lane.active -= 1
                    if not lane.active:
                        del self._lanes[tool]
                    return
                place = lane.waiting.popleft()
            if place.set_running_or_notify_cancel():
                place.set_result(None)
                return

    def _abandon(self, tool: str, place: Future[None]) -> None:
        """Give up waiting; a place that was granted meanwhile goes on to the next."""
        if not place.cancel():
            self._leave(tool)
            return
        with self._lock:
            lane = self._lanes.get(tool)
            if lane is not None and place in lane.waiting:
                lane.waiting.remove(place)

    def _busy(self, lane: _Lane) -> ToolFault:
        return tool_error(
            "SERVER_BUSY",
            f"The tool is at capacity: {lane.active} running, {len(lane.waiting)} waiting.",
            suggestion="Wait, then call again; send calls of this tool one after the other, or in smaller batches.",
            details={
                "active": lane.active,
                "max_active": self._active,
                "queued": len(lane.waiting),
                "max_queued": self._queued,
            },
            retry_after=self._retry_after,
        )


@dataclass(slots=True)
class _Lane:
    """One tool's calls: how many run, and who waits."""

    active: int = 0
    waiting: deque[Future[None]] = field(default_factory=deque)


class _Slot:
    """One held place. Each use counts by itself, so one object may be entered again."""

    def __init__(self, limit: ConcurrencyLimit, tool: str) -> None:
        self._limit = limit
        self._tool = tool

    def __enter__(self) -> None:
        place = self._limit._enter(self._tool)  # noqa: SLF001 - one thing in two classes
        if place is None:
            return
        try:
            place.result()
        except BaseException:
            self._limit._abandon(self._tool, place)  # noqa: SLF001
            raise

    def __exit__(self, *_: object) -> None:
        self._limit._leave(self._tool)  # noqa: SLF001

    async def __aenter__(self) -> None:
        place = self._limit._enter(self._tool)  # noqa: SLF001
        if place is None:
            return
        from asyncio import wrap_future  # in a coroutine it is loaded already

        try:
            await wrap_future(place)
        except BaseException:
            self._limit._abandon(self._tool, place)  # noqa: SLF001
            raise

    async def __aexit__(self, *_: object) -> None:
        self._limit._leave(self._tool)  # noqa: SLF001


class RateLimit:
    """At most `calls` in `per` seconds (a token bucket: that many at once, then evenly); the next is RATE_LIMITED.

    `take(key)` counts one call under a key of yours, such as the tool's name or the caller, and raises the ToolFault
    with the whole seconds after which a call is taken again. As a decorator it counts under the function's name. The
    key is not repeated to the model. `clock` gives seconds; it is passed in for tests.

    Raises ValueError where `calls` or `per` is not above zero.
    """

    _SWEEP = 1024  # buckets after which those that are full again are forgotten: keys come from callers

    def __init__(self, calls: int, *, per: float, clock: Callable[[], float] = time.monotonic) -> None:
        if calls < 1 or not per > 0 or not math.isfinite(per):
            raise ValueError(f"calls must be 1 or more and per a time above 0, not {calls} and {per}")
        self._calls = calls
        self._per = per
        self._clock = clock
        self._full_at: dict[str, float] = {}  # when each bucket is full again
        self._lock = threading.Lock()

    def take(self, key: str = "") -> None:
        """Count one call. Raises the RATE_LIMITED fault where the bucket is empty."""
        one = self._per / self._calls
        with self._lock:
            now = self._clock()
            before = min(max(self._full_at.get(key, now), now), now + self._per)  # a clock may go back
            full_at = before + one
            wait = full_at - now - self._per
            if wait <= _ROUNDING:
                self._full_at[key] = full_at
                self._sweep(now)
                return
        raise self._limited(max(1, math.ceil(wait - _ROUNDING)))

    def __call__(self, function: Function) -> Function:
        """Decorate: each call counts under the function's name."""
        name = getattr(function, "__name__", "")
        return _wrapped(function, lambda: _Taken(self, name))

    def _sweep(self, now: float) -> None:
        if len(self._full_at) > self._SWEEP:
            self._full_at = {key: at for key, at in self._full_at.items() if at > now}

    def _limited(self, seconds: int) -> ToolFault:
        calls = f"{self._calls} call{'s' if self._calls > 1 else ''}"
        period = f"{self._per:g} second{'s' if self._per != 1 else ''}"
        return tool_error(
            "RATE_LIMITED",
            f"Called too often: at most {calls} in {period}.",
            suggestion=f"Wait {seconds} second{'s' if seconds > 1 else ''}, then call again.",
            retry_after=seconds,
        )


class _Taken:
    """A call counted on entry, for the decorator."""

    def __init__(self, limit: RateLimit, key: str) -> None:
        self._limit = limit
        self._key = key

    def __enter__(self) -> None:
        self._limit.take(self._key)

    def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> None:
        self._limit.take(self._key)

    async def __aexit__(self, *_: object) -> None: ...


def _wrapped(function: Function, entered: Callable[[], Any]) -> Function:
    """The function, each call of it inside what `entered` makes."""
    if is_generator(function):
        raise TypeError("a limit does not hold for generators: decorate a function that returns its result")
    if is_async(function):

        @functools.wraps(function)
        async def limited_async(*args: Any, **kwargs: Any) -> Any:
            async with entered():
                return await function(*args, **kwargs)

        return limited_async  # type: ignore[return-value]  # functools.wraps keeps what it shows

    @functools.wraps(function)
    def limited(*args: Any, **kwargs: Any) -> Any:
        with entered():
            return function(*args, **kwargs)

    return limited  # type: ignore[return-value]  # as above
