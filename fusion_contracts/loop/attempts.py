"""What a guard remembers of a run: failed calls as digests, names, codes and what they said. Never a value sent.

One value in a store holds a whole run, so that a check is one look-up, and a change is one compare-and-set.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from types import MappingProxyType
from typing import Any

from fusion_contracts.loop.calls import CallLike

__all__ = ["NOTHING", "Attempt", "Call", "Record", "Same", "Streak", "decode", "encode", "identified"]

_NAMES, _LONGEST_NAME = 8, 40
# A circle is looked for by nobody: it is too deep, as others are.
_encoded = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr, check_circular=False).encode
_written = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class Call:
    """A call as the rules see it, by its run and its action's key."""

    __slots__ = ("_digest", "action", "arguments", "run")

    def __init__(self, run: str, action: str, arguments: Any) -> None:
        self.run = run
        self.action = action
        self.arguments = arguments
        self._digest = ""

    @property
    def digest(self) -> str:
        """24 hexadecimal digits for the arguments: not to be read back, nor compared between runs."""
        if not self._digest:  # worked out where the action has failed, and once
            self._digest = _digest(self)
        return self._digest

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, the first few, in the order in which they were sent."""
        sent = self.arguments if isinstance(self.arguments, Mapping) else {}
        return tuple(str(name)[:_LONGEST_NAME] for name in islice(sent, _NAMES))


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that failed: the names that were sent, and what it was answered."""

    names: tuple[str, ...]
    code: str
    fields: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Same:
    """Failures of one call with the same arguments.

    `permanent` counts those of them, the last ones, that a retry cannot help. `open` are repeats that were let through
    and have not come back: whoever crashed in one had the attempt all the same. `at` is the time of the last failure.
    """

    failures: int
    permanent: int
    open: int
    at: float
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Streak:
    """Failures of one action, one after the other, with the same code and failing fields."""

    count: int
    at: float
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A run: failures, calls where they are counted, and per action the streak and the calls that failed, by digest."""

    failures: int = 0
    calls: int = 0
    streaks: Mapping[str, Streak] = field(default_factory=lambda: MappingProxyType({}))
    same: Mapping[str, Mapping[str, Same]] = field(default_factory=lambda: MappingProxyType({}))
    totals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


NOTHING = Record()


def identified(call: CallLike, run: str) -> Call:
    """The call under its action's key; `run` stands in where it names none."""
    return Call(call.run or run, call.action or call.tool, call.arguments)


def _digest(call: Call) -> str:
    try:
        said = _encoded(call.arguments)
    except (ValueError, RecursionError, TypeError):  # too deep, keys of several kinds
        said = type(call.arguments).__name__
    return blake2b(f"{call.run}\n{said}".encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def encode(record: Record) -> bytes:
    """The record as JSON."""
    data = {
        "failures": record.failures,
        "calls": record.calls,
        "totals": dict(record.totals),
        "streaks": {action: [one.count, one.at, _rows(one.attempts)] for action, one in record.streaks.items()},
        "same": {action: {key: _row(one) for key, one in held.items()} for action, held in record.same.items() if held},
    }
    return _written(data).encode("utf-8", "surrogatepass")


@lru_cache(maxsize=256)
def decode(value: bytes) -> Record:
    """The record in a value that `encode` wrote, read once, however often it is looked at. Another value is nothing."""
    try:
        return _record(json.loads(value.decode("utf-8", "surrogatepass")))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):  # of another release, or another program
        return NOTHING


def _record(data: Any) -> Record:
    return Record(
        data["failures"],
        data["calls"],
        {action: Streak(count, at, _attempts(rows)) for action, (count, at, rows) in data["streaks"].items()},
        {action: {key: _same(row) for key, row in held.items()} for action, held in data["same"].items()},
        data["totals"],
    )


def _row(same: Same) -> list[Any]:
    return [same.failures, same.permanent, same.open, same.at, _rows(same.attempts)]


def _same(row: list[Any]) -> Same:
    return Same(row[0], row[1], row[2], row[3], _attempts(row[4]))


def _rows(attempts: tuple[Attempt, ...]) -> list[Any]:
    return [[one.names, one.code, one.fields, one.message] for one in attempts]


def _attempts(rows: list[Any]) -> tuple[Attempt, ...]:
    return tuple(Attempt(tuple(names), code, tuple(fields), message) for names, code, fields, message in rows)
