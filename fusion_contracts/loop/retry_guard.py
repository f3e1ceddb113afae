"""Retry limits, enforced in the loop and not asked of the model: a call that may not run is answered without running.

The state of a run is one value in a store, so that processes which share the store share the limits. A store that
cannot be asked stops nothing: until it can, the limits hold within this process.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeAlias

from fusion_contracts.loop.attempts import NOTHING, Call, Record, decode, encode, identified
from fusion_contracts.loop.calls import CallLike, OutcomeLike
from fusion_contracts.loop.limits import Limits
from fusion_contracts.loop.outcome import Outcome
from fusion_contracts.loop.partial_result import PartialResult
from fusion_contracts.loop.retrying import can_help
from fusion_contracts.loop.rules import asked, exhausted, failed, left, succeeded
from fusion_contracts.loop.stores import MemoryStore, OffLoop, Store, StoreError, open_store
from fusion_contracts.loop.summary import attempt_of, stop
from fusion_contracts.runtime.fault import ToolFault

__all__ = ["AsyncRetryGuard", "RetryGuard"]

_log = logging.getLogger("fusion_contracts.loop")

_Step: TypeAlias = Callable[[Record], tuple[Record | None, ToolFault | None]]
"""From what is remembered to what is to be (None: nothing at all), and the answer. Pure: it may be taken again."""


class _Steps:
    """What both guards share: which step each question is."""

    def __init__(
        self,
        store: Store | str | None = None,
        *,
        limits: Limits | None = None,
        read_only: Collection[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`store` keeps the state: a store, or the URL of one (see `open_store`); None for this process's memory.

        `read_only` are actions whose success changes nothing (see `Limits` and docs/loop.md). `clock` gives seconds; it
        must be one that all who share the store have, and is passed in for tests.
        """
        self.limits = limits or Limits()
        self.store = open_store(store) if isinstance(store, str) else store if store is not None else MemoryStore()
        self._spare = MemoryStore()
        self._read_only = frozenset(read_only)
        self._clock = clock
        self._told = False
        self._run = uuid.uuid4().hex  # of calls that name none: theirs alone, also in a shared store

    def _key(self, run: str) -> str:
        return f"guard:{run or self._run}"

    def _before(self, given: CallLike) -> _Step:
        def step(record: Record) -> tuple[Record | None, ToolFault | None]:
            if record is NOTHING and self.limits.calls is None:
                return record, None
            after, found = asked(record, identified(given, self._run), self._clock(), self.limits)
            return after, None if found is None else stop(found, record)

        return step

    def _after(self, given: CallLike, outcome: OutcomeLike | None) -> _Step:
        call, now = identified(given, self._run), self._clock()
        change = self._change(call, now, outcome)
        return lambda record: (change(record), None)

    def _change(self, call: Call, now: float, outcome: OutcomeLike | None) -> Callable[[Record], Record]:
        limits = self.limits
        if outcome is None:
            return lambda record: left(record, call, now, limits)
        read_only = call.action in self._read_only
        fault = outcome.fault
        if fault is not None and fault.is_error:
            attempt = attempt_of(call, fault, tuple(outcome.failing))
            permanent = not can_help(fault)
            return lambda record: failed(record, call, attempt, now, limits, permanent=permanent)
        unfinished = _unfinished(outcome)
        if unfinished is None:
            return lambda record: succeeded(record, call, read_only=read_only)
        attempt = attempt_of(call, unfinished.failed[0].fault, ())
        permanent, stalled = not any(each.retryable for each in unfinished.failed), not unfinished.items

        def change(record: Record) -> Record:
            """The same call again brings the same: it counts as a failure of that, and of the action if all failed."""
            done = record if stalled else succeeded(record, call, read_only=read_only, whole=False)
            return failed(done, call, attempt, now, limits, permanent=permanent, streak=stalled)

        return change

    def _over(self, record: Record) -> ToolFault | None:
        found = exhausted(record, self.limits)
        return None if found is None else stop(found, record)

    def _lost(self, error: StoreError) -> None:
        if not self._told:
            self._told = True
            _log.warning("Retry limits hold within this process alone, while their store cannot be asked: %s", error)


class RetryGuard(_Steps):
    """Stops calls that keep failing. `before` each call, `after` each call; from any thread.

    For coroutines there is `AsyncRetryGuard`, with the same options and the same state. Raises nothing of its own: a
    store that cannot be asked is logged once.
    """

    def before(self, call: CallLike, /) -> ToolFault | None:
        """None to let the call run, else the answer in its place: RETRY_LIMIT, critical, with a summary."""
        return self._settled(call.run, self._before(call))

    def after(self, call: CallLike, outcome: OutcomeLike | None, /) -> None:
        """Note what became of a call that was let through; None where it was cancelled before it ran."""
        self._settled(call.run, self._after(call, outcome))

    def over(self, run: str = "") -> ToolFault | None:
        """The summary of a run that has used up its budget, at which a loop ends; None while it may go on."""
        return self._settled(run, lambda record: (record, self._over(record)))

    def forget(self, run: str = "") -> None:
        """Forget a run that has ended; without that it is forgotten after the window."""
        self._settled(run, lambda _: (None, None))

    def attempt(self, call: CallLike, function: Callable[[], Any]) -> Outcome:
        """Run the function if the call may run: its outcome, or that of the refusal.

        Raises what the function raises where that is no failure, such as KeyboardInterrupt.
        """
        refused = self.before(call)
        if refused is not None:
            return Outcome.of(refused)
        outcome = None
        try:
            outcome = _outcome_of(function)
        finally:
            self.after(call, outcome)
        return outcome

    def _settled(self, run: str, step: _Step) -> ToolFault | None:
        try:
            return self._asked(self.store, run, step)
        except StoreError as error:
            self._lost(error)
            return self._asked(self._spare, run, step)

    def _asked(self, store: Store, run: str, step: _Step) -> ToolFault | None:
        key = self._key(run)
        while True:  # somebody's change is always made, so this ends
            old = store.get(key)
            new, answer = _taken(old, step)
            if new == old or store.replace(key, old, new, ttl=self.limits.window):
                return answer


class AsyncRetryGuard(_Steps):
    """As `RetryGuard`, for coroutines: a store that blocks is asked in a thread."""

    async def before(self, call: CallLike, /) -> ToolFault | None:
        """As `RetryGuard.before`."""
        return await self._settled(call.run, self._before(call))

    async def after(self, call: CallLike, outcome: OutcomeLike | None, /) -> None:
        """As `RetryGuard.after`."""
        await self._settled(call.run, self._after(call, outcome))

    async def over(self, run: str = "") -> ToolFault | None:
        """As `RetryGuard.over`."""
        return await self._settled(run, lambda record: (record, self._over(record)))

    async def forget(self, run: str = "") -> None:
        """As `RetryGuard.forget`."""
        await self._settled(run, lambda _: (None, None))

    async def attempt(self, call: CallLike, function: Callable[[], Awaitable[Any]]) -> Outcome:
        """As `RetryGuard.attempt`, for a coroutine function. Cancelled, the call is given back, and is no attempt."""
        refused = await self.before(call)
        if refused is not None:
            return Outcome.of(refused)
        outcome = None
        try:
            outcome = await _outcome_of_async(function)
        finally:
            await self.after(call, outcome)
        return outcome

    async def _settled(self, run: str, step: _Step) -> ToolFault | None:
        try:
            return await self._asked(self.store, run, step)
        except StoreError as error:
            self._lost(error)
            return await self._asked(self._spare, run, step)

    async def _asked(self, store: Store, run: str, step: _Step) -> ToolFault | None:
        key, awaited = self._key(run), OffLoop(store)
        while True:
            old = await awaited.get(key)
            new, answer = _taken(old, step)
            if new == old or await awaited.replace(key, old, new, ttl=self.limits.window):
                return answer


def _taken(old: bytes | None, step: _Step) -> tuple[bytes | None, ToolFault | None]:
    """The value that is to stand there after a step, and the step's answer."""
    record = NOTHING if old is None else decode(old)
    after, answer = step(record)
    if after is record:
        return old, answer
    return None if after is None else encode(after), answer


def _outcome_of(function: Callable[[], Any]) -> Outcome:
    try:
        return Outcome.of(function())
    except Exception as error:  # noqa: BLE001 - what became of a call, whatever that is
        return Outcome.of(error)


async def _outcome_of_async(function: Callable[[], Awaitable[Any]]) -> Outcome:
    try:
        return Outcome.of(await function())
    except Exception as error:  # noqa: BLE001 - what became of a call, whatever that is
        return Outcome.of(error)


def _unfinished(outcome: OutcomeLike) -> PartialResult[Any] | None:
    """The partial result that an outcome is, where some of its items failed."""
    result = getattr(outcome, "partial", None)
    if result is None and not isinstance(outcome, Outcome):
        result = Outcome.of(getattr(outcome, "result", None)).partial
    return result if result is not None and result.failed else None
