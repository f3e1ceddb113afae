"""The watch itself: one thread that decides, readers that read, sinks that post. They meet in one queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from fusion_contracts.canonical import printable
from fusion_contracts.cli.watching.account import Account
from fusion_contracts.cli.watching.basis import Basis, Judged
from fusion_contracts.cli.watching.delivery import Delivery
from fusion_contracts.cli.watching.inbox import Event, Inbox, Stopped
from fusion_contracts.cli.watching.readers import Ended, Listed, Readers
from fusion_contracts.cli.watching.schedule import Schedule
from fusion_contracts.diff import Report, Side
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.report.counts import count
from fusion_contracts.sources import running
from fusion_contracts.sources.base import Reading

__all__ = ["Watch"]

_LOOK = 1.0  # seconds between two looks at the files of lock and settings
_LAST_POSTS = 2.0  # seconds in which what is being posted may still be taken


@dataclass(slots=True)
class Watch:
    """`run` until a signal comes, or read everything `once`."""

    make: Callable[[], Basis]
    basis: Basis
    look: Callable[[Basis], Callable[[], object]]
    account: Account
    delivery: Delivery
    schedule: Schedule
    readers: Readers
    inbox: Inbox
    say: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    live: dict[str, Reading] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    unread: dict[str, Problem] = field(default_factory=dict)
    _announced: set[str] = field(default_factory=set)
    _stamp: object = None
    _looked: float = 0.0
    _broken: str = ""
    _first: bool = True
    _stays: bool = True

    def run(self) -> Stopped:
        """Watch until a signal comes, and say which. Raises FusionError where what was posted can be kept no more."""
        with self.inbox.signals():
            try:
                self._begin()
                while True:
                    event = self._next()
                    if isinstance(event, Stopped):
                        return event
                    self._step(event)
            finally:
                self._end()

    def once(self) -> Stopped | None:
        """Read every server once, post what is to be posted, and give a signal that came before that."""
        self._stays = False
        with self.inbox.signals():
            try:
                self._begin()
                while self._first or not self.delivery.given_up(self.clock()):
                    event = self._next()
                    if isinstance(event, Stopped):
                        return event
                    self._step(event)
                return None
            finally:
                self._end()

    # -- the loop ------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._looked = self.clock()
        self._look_after(self.basis)
        self._told(self.account.settled(self.basis, self._without_server()))
        self._step(None)

    def _next(self) -> Event | None:
        """What happens next; None where it is time to do something."""
        now = self.clock()
        waits = [self.delivery.wait(now), max(0.0, self._looked + _LOOK - now)]
        if self._stays and self.readers.free:
            waits.append(self.schedule.wait(now))
        return self.inbox.get(min(wait for wait in waits if wait is not None))

    def _step(self, event: Event | None) -> None:
        now = self.clock()
        match event:
            case Listed():
                self.readers.listed(event.name)
                self._read(event.name, event.reading)
            case Ended():
                self._ended(event, now)
            case list():
                self.delivery.came(event, now)
            case _:
                pass
        if self._stays and now >= self._looked + _LOOK:
            self._look()
        self._start()
        if self._first and not self.readers.listing and self.schedule.wait(now) != 0:
            self._first = False
            self._sum_up()
        self.delivery.push(self.clock())

    # -- what comes of it ----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        names = self.schedule.take(self.clock(), self.readers.free)
        self.readers.start([self.basis.units[name] for name in names], self.schedule.interval if self._stays else None)

    def _ended(self, event: Ended, now: float) -> None:
        """Note that a reader is done with a server, when that is due again, and what came of it."""
        hold, problem = event.hold, event.answer.problem
        if self.readers.ended(event):
            self.schedule.read(event.name, now, kept=True)
        elif hold is not None and hold.taken:
            if hold.cut:
                self.schedule.cut(event.name, now)
            else:
                self.schedule.read(event.name, now, kept=now >= hold.until)
        elif problem is not None:
            self.schedule.failed(event.name, now)
            self._missed(event.name, problem)
        elif event.answer.reading is not None:
            self.schedule.read(event.name, now)
            self._read(event.name, event.answer.reading)

    def _read(self, name: str, reading: Reading) -> None:
        unit = self.basis.units.get(name)
        if unit is None:  # the settings name it no more
            return
        self.live[name] = reading
        try:
            judged = self.basis.judged(unit, reading)
        except FusionError as error:
            self._missed(name, error.problem)
            return
        if all(one.server != name for one in judged):  # the source holds others, and is none itself
            self.unread.pop(name, None)
            self._told(self.account.reached(self.basis, name))
        for one in judged:
            self._judged(one)

    def _judged(self, one: Judged) -> None:
        self.unread.pop(one.server, None)
        report = one.report or Report(Side("unknown", "unknown"), Side("unknown", "unknown"))
        self.reports[one.server] = replace(report, errors=one.problems)
        self._told(self.account.read(self.basis, one))

    def _missed(self, name: str, problem: Problem) -> None:
        server = problem.server or name
        problem = replace(problem, server=server)
        self.reports.pop(server, None)
        self.live.pop(name, None)
        if self.basis.is_allowed_away(server):
            if self._first:
                self.say(f"note: {printable(str(problem))} (--allow-unreachable: not posted)")
            return
        self.unread[server] = problem
        self._told(self.account.unread(self.basis, server, problem))

    def _told(self, changed: bool) -> None:
        if changed:
            self.delivery.reload()

    # -- lock and settings ---------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Read lock and settings again where a file was written; what cannot be read is as it was."""
        self._looked = self.clock()
        stamp = self.look(self.basis)()  # before it is read, so that what is written meanwhile is not missed
        if stamp == self._stamp and not self._broken:
            return
        self._stamp = stamp
        try:
            basis = self.make()
        except FusionError as error:
            problem = error.problem
            said = str(problem)
            if said == self._broken:  # not a moment in the middle of a change
                self._told(self.account.settled(self.basis, [*self._without_server(), replace(problem, server=None)]))
            self._broken = said
            return
        self._broken = ""
        self._look_after(basis)
        self._told(self.account.settled(basis, self._without_server()))
        for name, reading in list(self.live.items()):
            self._read(name, reading)

    def _look_after(self, basis: Basis) -> None:
        """From now on the basis is this one."""
        self.readers.keep(basis.units)
        self.basis = basis
        self.schedule.keep(basis.units.keys(), self.clock())
        self.live = {name: reading for name, reading in self.live.items() if name in basis.units}
        for problem in basis.problems:
            if problem.server is not None:
                self._missed(problem.server, problem)
        if basis.names is not None:
            names = {*basis.names, *basis.units}
            self._told(self.account.forget(basis, names))
        known: Mapping[str, str] = basis.moved
        for name, moved in known.items():
            if f"moved {name}" not in self._announced:
                self._announced.add(f"moved {name}")
                self.say(f"note: {printable(name)}: {moved}")

    def _without_server(self) -> list[Problem]:
        return [problem for problem in self.basis.problems if problem.server is None]

    def _sum_up(self) -> None:
        """Say what the first look at all of them came to."""
        self.say(f"{count(len(self.reports), 'server')} checked: {self.account.summary}")

    # -- the end -------------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """End what was started, and let what is being posted arrive; another signal makes both faster."""
        self.readers.stop(self._hurried)
        until = time.monotonic() + _LAST_POSTS
        while self.delivery.is_busy and time.monotonic() < until:
            event = self.inbox.get(max(0.0, until - time.monotonic()))
            if event is None or isinstance(event, Stopped):
                break
            if isinstance(event, list):
                self.delivery.came([one for one in event if not isinstance(one.error, OSError)], self.clock())

    def _hurried(self) -> None:
        """Let a second signal end at once what the first one ended politely."""
        for _ in range(self.inbox.only_outcomes()):
            running.stop()
