"""What is known of one sink: what waits for it, what it has in hand, and when it is tried again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue

from fusion_contracts.cli.watching.ledger import Dropped, Pending
from fusion_contracts.cli.watching.sinks import Sink
from fusion_contracts.model import JsonObject

__all__ = ["NOTICE", "Recipient", "handful"]

NOTICE = 0
"""The number of the event that tells what was dropped; those of the ledger begin with 1."""

_BATCH = 100  # events that a sink has in hand at a time
_BYTES = 2**19  # of them, unless it is one: so little that `Lines` finds it again where a kill left it unnoted
_SOON = 60.0  # seconds for which a run that ends by itself still waits, where a receiver asks for time
_TRIES = 4  # after which such a run gives up
_FIRST_OF_ALL = Pending(NOTICE, "", opens=False, size=0, taken=frozenset())


@dataclass(slots=True)
class Recipient:
    """One sink. `name` is asked of it once: a file has to be looked up for it.

    `dropped` is what it is to be told of events that it will not get, `telling` what of that it has in hand.
    """

    sink: Sink
    name: str
    dropped: Dropped | None
    queue: SimpleQueue[Sequence[tuple[int, JsonObject]]] = field(default_factory=SimpleQueue)
    hand: Collection[int] = ()
    telling: Dropped | None = None
    unlimited: bool = False
    """Whether more may wait for it than is kept, while it has something in hand."""
    failures: int = 0
    until: float = 0.0
    refused: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Of events that it refused alone: how often, and until when they wait."""

    @property
    def label(self) -> str:
        """For people."""
        return str(getattr(self.sink, "label", self.name))

    def waiting(self, pending: Iterable[Pending]) -> Iterator[Pending]:
        """What of these it did not take yet; first of all, that others were dropped."""
        if self.dropped is not None:
            yield _FIRST_OF_ALL
        yield from (one for one in pending if self.name not in one.taken)

    def ready(self, pending: Iterable[Pending], now: float) -> list[int]:
        """The numbers of those of these that it can take now, as many as it has in hand at a time."""
        if self.hand or self.until > now:
            return []
        return handful(one for one in self.waiting(pending) if self.refused.get(one.seq, (0, now))[1] <= now)

    def due(self, pending: Iterable[Pending]) -> float | None:
        """When it takes the first of these that it did not take yet; None where there is no such."""
        first: float | None = None
        for one in self.waiting(pending):
            waits = self.refused.get(one.seq, (0, 0.0))[1]
            if waits <= self.until:
                return self.until
            first = waits if first is None else min(first, waits)
        return first

    def is_hopeless(self, pending: Iterable[Pending], now: float) -> bool:
        """Whether all of these that it did not take were tried often enough, or wait too long."""
        for one in self.waiting(pending):
            tries, until = self.refused.get(one.seq, (0, 0.0))
            if max(self.failures, tries) < _TRIES and max(self.until, until) - now <= _SOON:
                return False
        return True


def handful(waiting: Iterable[Pending]) -> list[int]:
    """The numbers of as many events as a sink has in hand at a time, the first ones."""
    found: list[int] = []
    size = 0
    for one in waiting:
        size += one.size
        if found and (len(found) == _BATCH or size > _BYTES):
            break
        found.append(one.seq)
    return found
