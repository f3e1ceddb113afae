"""When each server is read next. It is told the time, on a clock that only goes on, and never looks at one itself."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

__all__ = ["Schedule", "seconds_of"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST = 3600.0  # seconds after which one that cannot be read is tried again, or `every` where that is more
_CUT = 30.0  # seconds after which a server is started again that ended while it was listened to; doubled each time
_SPREAD = 0.1  # of the interval: servers that were read together drift apart
_DOUBLINGS = 16  # no more: the cap was met long before


def seconds_of(text: str) -> float | None:
    """The seconds that `30s`, `5m`, `1h` or `1d` stands for; None for any other text."""
    found = re.fullmatch(r"([1-9][0-9]{0,4})([smhd])", text)
    return None if found is None else float(int(found[1]) * _UNITS[found[2]])


@dataclass(slots=True)
class Schedule:
    """When each of the servers is due. `spread` gives numbers from 0 to 1.

    What is taken is not due again before it is said what came of it. Times are counted from then on, and not from when
    it was due: after a pause of the whole machine each server is read once, and not as often as was missed.
    """

    every: float
    spread: Callable[[], float] = random.random
    _due: dict[str, float] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _failures: dict[str, int] = field(default_factory=dict)
    _cuts: dict[str, int] = field(default_factory=dict)

    def keep(self, names: Collection[str], now: float) -> None:
        """Take these for all that there are: a new one is due now."""
        wanted = set(names)
        for name in self._known - wanted:
            self._due.pop(name, None)
            self._failures.pop(name, None)
            self._cuts.pop(name, None)
        for name in names:
            if name not in self._known:
                self._due[name] = now
        self._known = wanted

    def take(self, now: float, most: int) -> list[str]:
        """At most so many of those that are due, the one that waits longest first."""
        ready = sorted((due, name) for name, due in self._due.items() if due <= now)
        names = [name for _, name in ready[: max(0, most)]]
        for name in names:
            del self._due[name]
        return names

    @property
    def interval(self) -> float:
        """The time from one reading to the next, never quite the same."""
        return self.every * (1 + _SPREAD * (self.spread() - 0.5))

    def read(self, name: str, now: float, *, kept: bool = False) -> None:
        """It was read. One that was `kept` open until its time was over is due again."""
        self._failures.pop(name, None)
        self._cuts.pop(name, None)
        self._set(name, now if kept else now + self.interval)

    def failed(self, name: str, now: float) -> None:
        """It could not be read: the next try is as soon as ever, each further one twice as late as the one before."""
        failures = self._failures.get(name, 0)
        self._failures[name] = failures + 1
        self._set(name, now + min(self.interval * 2.0 ** min(failures, _DOUBLINGS), max(self.every, _LONGEST)))

    def cut(self, name: str, now: float) -> None:
        """It was read, was kept open, and ended by itself: it may be another one now."""
        cuts = self._cuts.get(name, 0)
        self._cuts[name] = cuts + 1
        self._failures.pop(name, None)
        self._set(name, now + min(_CUT * 2.0 ** min(cuts, _DOUBLINGS), self.interval))

    def _set(self, name: str, due: float) -> None:
        if name in self._known:
            self._due[name] = due

    def wait(self, now: float) -> float | None:
        """Seconds until the next one is due; None where all are being read."""
        return max(0.0, min(self._due.values()) - now) if self._due else None
