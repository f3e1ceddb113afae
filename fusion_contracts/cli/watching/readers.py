"""The threads that read servers: so many at a time, some of which stay to hear of changes, and all of which end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fusion_contracts.cli.progress import announce
from fusion_contracts.cli.watching.basis import Unit
from fusion_contracts.record import record
from fusion_contracts.sources import running
from fusion_contracts.sources.base import Reading
from fusion_contracts.sources.hold import Hold
from fusion_contracts.sources.unit import Answer, work

__all__ = ["Ended", "Listed", "Readers"]

_ENDING = 10.0  # seconds in which what was started ends
_STEP = 0.05
_KEPT = frozenset({"stdio", "http"})


@record
class Listed:
    """A server gave a list."""

    name: str
    reading: Reading


@record
class Ended:
    """A reader is done with a server. `hold` says whether it was listed, and how it ended."""

    name: str
    answer: Answer
    hold: Hold | None


@dataclass(slots=True)
class Readers:
    """A thread for each server that is being read or kept open: `jobs` of the first, `most` of the second.

    `tell` is called in those threads. All methods are for the thread that decides.
    """

    jobs: int
    most: int
    tell: Callable[[Listed | Ended], None]
    say: Callable[[str], None]
    listing: set[str] = field(default_factory=set)
    _open: set[str] = field(default_factory=set)
    _running: dict[str, tuple[Unit, str, threading.Thread]] = field(default_factory=dict)
    """The source that is read, what ends its reader alone, and that."""
    _outdated: set[str] = field(default_factory=set)
    _announced: set[tuple[str, str]] = field(default_factory=set)
    _count: int = 0
    _turns: threading.Semaphore = field(init=False)
    """One for each that is listed again at a time."""

    def __post_init__(self) -> None:
        self._turns = threading.Semaphore(self.jobs)

    @property
    def free(self) -> int:
        """How many more may be read now."""
        return max(0, self.jobs - len(self.listing))

    def start(self, units: Sequence[Unit], stay: float | None) -> None:
        """Read them, and keep those open that tell of changes for `stay` seconds; None for no such thing.

        What is started for the first time is said before.
        """
        new = [unit for unit in units if (unit.name, unit.task.source.label) not in self._announced]
        self._announced |= {(unit.name, unit.task.source.label) for unit in new}
        announce([unit.task for unit in new], self.say)
        for unit in units:
            self._count += 1
            run, hold = f"watch {self._count}", self._hold(unit, stay)
            thread = threading.Thread(target=self._work, args=(unit, hold, run), daemon=True)
            self.listing.add(unit.name)
            self._running[unit.name] = unit, run, thread
            thread.start()

    def _hold(self, unit: Unit, stay: float | None) -> Hold | None:
        """How the server is kept open: not where enough others are."""
        if stay is None or unit.task.source.kind not in _KEPT or len(self._open) >= self.most:
            return None
        self._open.add(unit.name)
        until = time.monotonic() + stay
        return Hold(lambda reading: self.tell(Listed(unit.name, reading)), until, lambda: self._turns)

    def _work(self, unit: Unit, hold: Hold | None, run: str) -> None:
        task = replace(unit.task, options=replace(unit.task.options, hold=hold))
        with running.part_of(run):
            if unit.task.source.kind == "python":
                from fusion_contracts.cli.watching.child import read_apart

                answer = read_apart(task)
            else:
                answer = work(task)
        self.tell(Ended(unit.name, answer, hold))

    def listed(self, name: str) -> None:
        """Note that a server gave its list, and another may be read."""
        self.listing.discard(name)

    def ended(self, event: Ended) -> bool:
        """Note that a reader is done. Whether it was ended because the settings name another source now."""
        outdated = event.name in self._outdated
        self._outdated.discard(event.name)
        self._open.discard(event.name)
        self.listing.discard(event.name)
        self._running.pop(event.name, None)
        return outdated

    def keep(self, units: Mapping[str, Unit]) -> None:
        """End the readers of what is not among these any more, or is another source now."""
        for name, (unit, run, _) in self._running.items():
            if name not in units or units[name].task.source != unit.task.source:
                self._outdated.add(name)
                running.stop(run)

    def stop(self, meanwhile: Callable[[], None]) -> None:
        """End everything that was started, and wait for it; `meanwhile` is called again and again."""
        until = time.monotonic() + _ENDING
        running.stop()
        for _, _, thread in list(self._running.values()):
            while thread.is_alive() and time.monotonic() < until:
                thread.join(_STEP)
                meanwhile()
        running.ready()
