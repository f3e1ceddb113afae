"""Events on their way: each sink has a thread, a queue and its own patience; the ledger says who took what.

A sink that fails is left alone for a while, longer each time, and stops none of the others. An event that a receiver
refuses by itself waits alone, and the next ones go past it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from queue import SimpleQueue

from fusion_contracts.cli.watching.ledger import Ledger, Pending
from fusion_contracts.cli.watching.sinks import NotTakenError, Sink
from fusion_contracts.model import JsonObject
from fusion_contracts.record import record
from fusion_contracts.report.counts import count

__all__ = ["Delivery", "Outcome"]

_FIRST, _LONGEST = 1.0, 300.0  # seconds after which a sink that failed is tried again
_DOUBLINGS = 12
_BATCH = 100  # events that a sink has in hand at a time
_BYTES = 2**19  # of them, unless it is one: so little that `Lines` finds it again where a kill left it unnoted
_SOON = 60.0  # seconds for which such a run still waits, where a receiver asks for time
_TRIES = 4  # after which a run that ends by itself gives up


@record
class Outcome:
    """What became of an event at a sink: taken, or why not. `error` may be what ends the whole watch."""

    sink: int
    seq: int
    error: Exception | None = None
    last: bool = False
    """Whether the sink has nothing in hand any more."""


@dataclass(slots=True)
class _State:
    """What is known of one sink. `name` is asked of it once: a file has to be looked up for it."""

    sink: Sink
    name: str
    queue: SimpleQueue[Sequence[tuple[int, JsonObject]]]
    busy: bool = False
    failures: int = 0
    until: float = 0.0
    waiting: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Of events that it refused alone: how often, and until when they wait."""

    def ready(self, one: Pending, now: float) -> bool:
        return self.name not in one.taken and self.waiting.get(one.seq, (0, now))[1] <= now

    def due(self, pending: Iterable[Pending]) -> float | None:
        """When it takes the first of these that it did not take yet; None where there is no such."""
        first: float | None = None
        for one in pending:
            if self.name not in one.taken:
                waits = self.waiting.get(one.seq, (0, 0.0))[1]
                if waits <= self.until:
                    return self.until
                first = waits if first is None else min(first, waits)
        return first

    def is_hopeless(self, one: Pending, now: float) -> bool:
        tries, until = self.waiting.get(one.seq, (0, 0.0))
        return max(self.failures, tries) >= _TRIES or max(self.until, until) - now > _SOON


class Delivery:
    """Hands pending events to the sinks. All methods are for the thread that has the ledger."""

    def __init__(
        self,
        sinks: Sequence[Sink],
        ledger: Ledger,
        done: Callable[[Outcome], None],
        say: Callable[[str], None],
    ) -> None:
        """`done` is called in a sink's thread with what became of an event; `came` wants to be told of it."""
        self._ledger, self._done, self._say = ledger, done, say
        self._states = [_State(sink, sink.name, SimpleQueue()) for sink in sinks]
        self._names = frozenset(state.name for state in self._states)
        self._pending: dict[int, Pending] = {}
        self.reload()
        for number, state in enumerate(self._states):
            threading.Thread(target=self._work, args=(number, state), daemon=True).start()

    def _work(self, number: int, state: _State) -> None:
        while batch := state.queue.get():
            for seq, event in batch:
                error = _put(state.sink, event)
                stops = error is not None and not (isinstance(error, NotTakenError) and error.alone)
                self._done(Outcome(number, seq, error, last=stops or seq == batch[-1][0]))
                if stops:
                    break

    def reload(self) -> None:
        """Read what is pending anew: the ledger was changed."""
        self._pending = {one.seq: one for one in self._ledger.pending()}

    def push(self, now: float) -> None:
        """Hand on what is pending, to every sink that is ready for it."""
        batches = []
        for state in self._states:
            if not state.busy and state.until <= now:
                batch = _handful(one for one in self._pending.values() if state.ready(one, now))
                if batch:
                    batches.append((state, batch))
        if not batches:
            return
        seqs = {seq for _, batch in batches for seq in batch}
        self._ledger.trying(seqs)
        events = self._ledger.events(seqs)
        for state, batch in batches:
            state.busy = True
            state.queue.put([(seq, events[seq]) for seq in batch])

    def came(self, outcomes: Sequence[Outcome], now: float) -> None:
        """Note what became of events: all that were taken in one go, as each time the disk is waited for.

        Raises what ends the watch.
        """
        self._take([(one.seq, self._states[one.sink].name) for one in outcomes if one.error is None])
        for one in outcomes:
            self._settle(one, now)

    def _settle(self, outcome: Outcome, now: float) -> None:
        """Say, and take into account, how it went with a sink."""
        state = self._states[outcome.sink]
        state.busy = not outcome.last
        if outcome.error is None:
            state.waiting.pop(outcome.seq, None)
            if state.failures:
                self._say(f"{_label(state.sink)} takes what is posted again")
            state.failures = 0
        elif not isinstance(outcome.error, NotTakenError):
            raise outcome.error
        elif outcome.error.alone:
            refused = state.waiting.get(outcome.seq, (0, 0.0))[0]
            wait = self._wait(refused, outcome.error)
            if not refused:
                self._say(f"{_label(state.sink)} refuses an event: {outcome.error}; it is kept, and tried again")
            state.waiting[outcome.seq] = (refused + 1, now + wait)
        else:
            wait = self._wait(state.failures, outcome.error)
            state.until = now + wait
            if not state.failures:
                self._say(f"{_label(state.sink)}: {outcome.error}; what it did not take is kept, and tried again")
            state.failures += 1

    def _take(self, taken: Sequence[tuple[int, str]]) -> None:
        if taken:
            self._ledger.took(taken, self._names)
        for seq, name in taken:
            one = self._pending[seq]
            told = one.taken | {name}
            if told >= self._names:
                del self._pending[seq]
            else:
                self._pending[seq] = replace(one, taken=told)

    def _wait(self, failures: int, error: NotTakenError) -> float:
        return max(min(_FIRST * 2.0 ** min(failures, _DOUBLINGS), _LONGEST), error.wait or 0.0)

    def wait(self, now: float) -> float | None:
        """Seconds until a sink is to be tried again; None where nobody waits for that."""
        dues = (state.due(self._pending.values()) for state in self._states if not state.busy)
        times = [due for due in dues if due is not None]
        return max(0.0, min(times) - now) if times else None

    @property
    def is_busy(self) -> bool:
        """Whether a sink has something in hand."""
        return any(state.busy for state in self._states)

    def given_up(self, now: float) -> bool:
        """Whether all that is left was tried often enough, or waits too long, for a run that ends by itself."""
        return not self.is_busy and all(
            state.is_hopeless(one, now)
            for state in self._states
            for one in self._pending.values()
            if state.name not in one.taken
        )

    def owed(self) -> list[str]:
        """What was not taken, a phrase for each sink: `2 events not taken by the webhook https://...`."""
        found = []
        for state in self._states:
            left = sum(state.name not in one.taken for one in self._pending.values())
            if left:
                found.append(f"{count(left, 'event')} not taken by {_label(state.sink)}")
        return found


def _put(sink: Sink, event: JsonObject) -> Exception | None:
    """Hand an event to a sink. What went wrong is raised, where it must be, in the thread that has the ledger."""
    try:
        sink.put(event)
    except Exception as error:  # noqa: BLE001
        return error
    return None


def _handful(waiting: Iterable[Pending]) -> list[int]:
    """The numbers of as many events as a sink has in hand at a time, the first ones."""
    found: list[int] = []
    size = 0
    for one in waiting:
        size += one.size
        if found and (len(found) == _BATCH or size > _BYTES):
            break
        found.append(one.seq)
    return found


def _label(sink: Sink) -> str:
    return str(getattr(sink, "label", sink.name))
