"""Events on their way: each sink has a thread, a queue and its own patience; the ledger says who took what.

A sink that fails is left alone for a while, longer each time, and stops none of the others. An event that a receiver
refuses by itself waits alone, and the next ones go past it. So much waits for a sink, and no more (`backlog`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from fusion_contracts.cli.watching.backlog import excess, limit, notice
from fusion_contracts.cli.watching.ledger import Ledger, Pending
from fusion_contracts.cli.watching.recipient import NOTICE, Recipient
from fusion_contracts.cli.watching.sinks import NotTakenError, Sink
from fusion_contracts.model import JsonObject
from fusion_contracts.record import record
from fusion_contracts.report.counts import count

__all__ = ["Delivery", "Outcome"]

_FIRST, _LONGEST = 1.0, 300.0  # seconds after which a sink that failed is tried again
_DOUBLINGS = 12


@record
class Outcome:
    """What became of an event at a sink: taken, or why not. `error` may be what ends the whole watch."""

    sink: int
    seq: int
    error: Exception | None = None
    last: bool = False
    """Whether the sink has nothing in hand any more."""


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
        named = [(sink, sink.name) for sink in sinks]
        self._all = [Recipient(sink, name, ledger.dropped(name)) for sink, name in named]
        self._names = frozenset(one.name for one in self._all)
        self._pending: dict[int, Pending] = {}
        self.reload()
        for number, one in enumerate(self._all):
            threading.Thread(target=self._work, args=(number, one), daemon=True).start()

    def _work(self, number: int, one: Recipient) -> None:
        while batch := one.queue.get():
            for seq, event in batch:
                error = _put(one.sink, event)
                stops = error is not None and not (isinstance(error, NotTakenError) and error.alone)
                self._done(Outcome(number, seq, error, last=stops or seq == batch[-1][0]))
                if stops:
                    break

    def reload(self) -> None:
        """Read what is pending anew: the ledger was changed. What is too much for a sink is dropped."""
        self._pending = self._ledger.pending(self._pending)
        for one in self._all:
            self._limit(one)

    def _limit(self, one: Recipient) -> None:
        """Drop what is too much for a sink. What it has in hand may be taken: before that is known nothing is."""
        one.unlimited = bool(one.hand)
        if one.hand:
            return
        gone = excess([event for event in self._pending.values() if one.name not in event.taken])
        if gone:
            self._drop(one, gone)

    def _drop(self, one: Recipient, gone: Collection[int]) -> None:
        self._ledger.drop(gone, one.name, self._names)
        self._done_with([(seq, one.name) for seq in gone])
        for seq in gone:
            one.refused.pop(seq, None)
        if one.dropped is None:
            first = "what is over again is dropped first, then the oldest"
            self._say(f"{one.label}: no more than {limit()} are kept for it; {first}, and it will be told how many")
        one.dropped = self._ledger.dropped(one.name)

    def push(self, now: float) -> None:
        """Hand on what is pending, to every sink that is ready for it."""
        found = [(one, one.ready(self._pending.values(), now)) for one in self._all]
        batches = [(one, batch) for one, batch in found if batch]
        if not batches:
            return
        seqs = {seq for _, batch in batches for seq in batch} - {NOTICE}
        self._ledger.trying(seqs)
        events = self._ledger.events(seqs)
        for one, batch in batches:
            one.hand, one.telling = frozenset(batch), one.dropped
            told = {} if one.dropped is None else {NOTICE: notice(one.dropped)}
            one.queue.put([(seq, told[seq] if seq == NOTICE else events[seq]) for seq in batch])

    def came(self, outcomes: Sequence[Outcome], now: float) -> None:
        """Note what became of events: all that were taken in one go, as each time the disk is waited for.

        Raises what ends the watch.
        """
        taken = [(one.seq, self._all[one.sink]) for one in outcomes if one.error is None]
        events = [(seq, one.name) for seq, one in taken if seq != NOTICE]
        if events:
            self._ledger.took(events, self._names)
            self._done_with(events)
        for seq, one in taken:
            if seq == NOTICE and one.telling is not None:
                self._ledger.told(one.telling)
                one.dropped = self._ledger.dropped(one.name)
        for outcome in outcomes:
            self._settle(outcome, now)
        for one in self._all:
            if one.unlimited and not one.hand:
                self._limit(one)

    def _done_with(self, taken: Sequence[tuple[int, str]]) -> None:
        for seq, name in taken:
            told = self._pending[seq].taken | {name}
            if told >= self._names:
                del self._pending[seq]
            else:
                self._pending[seq] = replace(self._pending[seq], taken=told)

    def _settle(self, outcome: Outcome, now: float) -> None:
        """Say, and take into account, how it went with a sink."""
        one, error = self._all[outcome.sink], outcome.error
        if outcome.last:
            one.hand = ()
        if error is None:
            one.refused.pop(outcome.seq, None)
            if one.failures:
                self._say(f"{one.label} takes what is posted again")
            one.failures = 0
        elif not isinstance(error, NotTakenError):
            raise error
        elif error.alone:
            refused = one.refused.get(outcome.seq, (0, 0.0))[0]
            if not refused:
                self._say(f"{one.label} refuses an event: {error}; it is kept, and tried again")
            one.refused[outcome.seq] = (refused + 1, now + _patience(refused, error))
        else:
            one.until = now + _patience(one.failures, error)
            if not one.failures:
                self._say(f"{one.label}: {error}; what it did not take is kept, and tried again")
            one.failures += 1

    def wait(self, now: float) -> float | None:
        """Seconds until a sink is to be tried again; None where nobody waits for that."""
        dues = (one.due(self._pending.values()) for one in self._all if not one.hand)
        times = [due for due in dues if due is not None]
        return max(0.0, min(times) - now) if times else None

    @property
    def is_busy(self) -> bool:
        """Whether a sink has something in hand."""
        return any(one.hand for one in self._all)

    def given_up(self, now: float) -> bool:
        """Whether all that is left was tried often enough, or waits too long, for a run that ends by itself."""
        return not self.is_busy and all(one.is_hopeless(self._pending.values(), now) for one in self._all)

    def owed(self) -> list[str]:
        """What was not taken, a phrase for each sink: `2 events not taken by the webhook https://...`."""
        found = []
        for one in self._all:
            left = sum(1 for _ in one.waiting(self._pending.values()))
            if left:
                dropped = "" if one.dropped is None else f" ({one.dropped.number:,} dropped)"
                found.append(f"{count(left, 'event')} not taken by {one.label}{dropped}")
        return found


def _put(sink: Sink, event: JsonObject) -> Exception | None:
    """Hand an event to a sink. What went wrong is raised, where it must be, in the thread that has the ledger."""
    try:
        sink.put(event)
    except Exception as error:  # noqa: BLE001
        return error
    return None


def _patience(failures: int, error: NotTakenError) -> float:
    """Seconds until a sink is tried again."""
    return max(min(_FIRST * 2.0 ** min(failures, _DOUBLINGS), _LONGEST), error.wait or 0.0)
