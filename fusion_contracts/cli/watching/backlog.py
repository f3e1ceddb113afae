"""How much waits for a place that takes nothing, and what is dropped of more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from fusion_contracts.cli.watching.events import SCHEMA_VERSION
from fusion_contracts.cli.watching.ledger import Dropped, Pending
from fusion_contracts.errors import Problem
from fusion_contracts.model import JsonObject
from fusion_contracts.report.counts import count

__all__ = ["excess", "limit", "notice"]

_MOST = 50_000  # events that wait for one place
_BYTES = 256 * 2**20  # of them


def limit() -> str:
    """The limit, for people."""
    return f"{_MOST:,} events or {_BYTES // 2**20} MiB"


def excess(waiting: Sequence[Pending]) -> list[int]:
    """The numbers of those events that are dropped; `waiting` are the ones of one place, oldest first.

    First go those of what began and is over: who hears of neither misses nothing that stands. Then the oldest go: the
    last ones say how things are now.
    """
    number, size = len(waiting), sum(one.size for one in waiting)
    gone: dict[int, None] = {}
    if number > _MOST or size > _BYTES:
        for group in (*_over(waiting), *((one,) for one in waiting)):
            if number <= _MOST and size <= _BYTES:
                break
            fresh = [one for one in group if one.seq not in gone]
            number, size = number - len(fresh), size - sum(one.size for one in fresh)
            gone |= dict.fromkeys(one.seq for one in fresh)
    return sorted(gone)


def _over(waiting: Iterable[Pending]) -> Iterator[tuple[Pending, Pending]]:
    """The two events of each thing that began and is over."""
    begun: dict[str, Pending] = {}
    for one in waiting:
        if one.opens:
            begun[one.key] = one
        elif one.key in begun:
            yield begun.pop(one.key), one


def notice(one: Dropped) -> JsonObject:
    """The event that tells a place how many it will not get. Its id is the same while it says the same."""
    identifier = sha256(f"{one.name}\0{one.since}\0{one.until}\0{one.number}".encode()).hexdigest()[:32]
    were = "was" if one.number == 1 else "were"
    message = f"{count(one.number, 'event')} could not be posted here and {were} dropped: at most {limit()} are kept"
    problem = Problem(None, "usage", message, "run fusion check: it says how things stand")
    return {
        "schema_version": SCHEMA_VERSION, "id": identifier, "event": "dropped", "time": one.until, "server": None,
        "lockfile": one.lockfile, "since": one.since, "dropped": one.number, "error": problem.to_dict(),
    }  # fmt: skip
