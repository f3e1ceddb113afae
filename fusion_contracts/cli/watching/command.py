"""From the options of `fusion watch` to a watch, and from what it came to, to the exit code."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path

from fusion_contracts.cli.ending import ending
from fusion_contracts.cli.output import OK, REFUSED, Writer, tell
from fusion_contracts.cli.project import Project, open_project
from fusion_contracts.cli.refresh import Effort
from fusion_contracts.cli.streams import SIGNAL
from fusion_contracts.cli.wanted import Access, asked
from fusion_contracts.cli.watching.account import Account
from fusion_contracts.cli.watching.basis import Basis, Choice, basis_of, files_of
from fusion_contracts.cli.watching.delivery import Delivery
from fusion_contracts.cli.watching.inbox import Inbox
from fusion_contracts.cli.watching.ledger import Ledger, default_place
from fusion_contracts.cli.watching.readers import Readers
from fusion_contracts.cli.watching.run import Watch
from fusion_contracts.cli.watching.schedule import Schedule, seconds_of
from fusion_contracts.cli.watching.sinks import Lines, Printed, Sink
from fusion_contracts.diff import Level, Report, Side
from fusion_contracts.errors import FusionError
from fusion_contracts.record import record
from fusion_contracts.report.counts import count
from fusion_contracts.sources.guard import guarded
from fusion_contracts.sources.together import JOBS

__all__ = ["Posting", "Wish", "run"]


@record
class Wish:
    """What is to be watched, and how often."""

    source: str | None
    command: tuple[str, ...]
    name: str | None
    servers: tuple[str, ...]
    access: Access
    effort: Effort
    world: str | None
    fail_on: str | None
    every: str
    listen: int
    level: str
    once: bool = False


@record
class Posting:
    """Where findings go, and where is kept what went there."""

    machine: bool
    output: str | None
    webhook: str | None
    headers: tuple[str, ...] = field(default=(), repr=False)
    state: str | None = None

    def sinks(self, project: Project, reads: Sequence[str | None], config: str | None) -> list[Sink]:
        """Everybody who is told. Raises FusionError where one cannot be."""
        found: list[Sink] = [Printed(self.machine)]
        if self.output is not None:
            folder = str(project.root)
            writer = Writer.of(["json"], self.output, folder, no_colour=True, reads=reads, config=config)
            lines = Lines(writer.targets[0].path or Path(self.output))
            lines.require()
            found.append(lines)
        if self.webhook is not None:
            from fusion_contracts.cli.watching.webhook import Webhook  # brings the HTTP client

            found.append(Webhook.of(self.webhook, self.headers, os.environ))
        elif self.headers:
            step = "name the URL with --webhook, or leave it out"
            raise FusionError("--webhook-header goes with --webhook", step, stage="usage")
        return found

    def place(self, project: Project) -> Path:
        """The file of the ledger. Raises FusionError."""
        if self.state is not None:
            return project.root / self.state
        return default_place(project.root, project.lockfile)


def run(
    project: Project, wish: Wish, posting: Posting, *, reads: Sequence[str | None], config: str | None
) -> int:
    """Watch, and return the exit code. `reads` and `config` as of `Writer.of`.

    Raises FusionError where nothing can be watched or posted.
    """
    choice = _choice(project, wish)
    basis = basis_of(project, choice)
    sinks = posting.sinks(project, reads, config)
    place = posting.place(project)
    ledger = Ledger(place)
    try:
        guarded()
        watch = _watch(project, wish, choice, basis, ledger, sinks)
        if wish.once:
            return _once(watch)
        how = f"every {wish.every}; what was posted is kept in {place.as_posix()}"
        tell(f"watching {count(len(basis.units), 'server')} of {project.shown_lock} {how}")
        return _until_stopped(watch)
    finally:
        ledger.close()


def _choice(project: Project, wish: Wish) -> Choice:
    """What the command line asks for. Raises FusionError, as every command does."""
    choice = Choice(None, wish.servers, wish.access, wish.effort, wish.world, wish.fail_on)
    if wish.source is not None or wish.command:
        one = asked(project, wish.source, wish.command, name=wish.name, access=wish.access)
        return replace(choice, given=one)
    for option, given in {"--name": wish.name is not None, **wish.access.given}.items():
        if given:
            step = "name one, or write it in the settings"
            raise FusionError(f"{option} goes with a SOURCE or a command", step, stage="usage")
    return choice


def _watch(  # noqa: PLR0913, PLR0917 - all that a watch is made of
    project: Project, wish: Wish, choice: Choice, basis: Basis, ledger: Ledger, sinks: Sequence[Sink]
) -> Watch:
    inbox = Inbox()
    config = None if project.place is None else os.path.relpath(project.place.path, project.root)

    def again() -> Basis:
        return basis_of(open_project(str(project.root), project.lockfile, config), choice)

    return Watch(
        again, basis, files_of, Account(ledger, Level[wish.level.upper()], _now),
        Delivery(sinks, ledger, inbox.put, _say), Schedule(seconds_of(wish.every) or 0.0),
        Readers(wish.effort.jobs or JOBS, wish.listen, inbox.put, tell), inbox, tell,
    )  # fmt: skip


def _now() -> str:
    """The time as it is told: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _say(text: str) -> None:
    tell(f"fusion: {text}")


def _until_stopped(watch: Watch) -> int:
    stopped = watch.run()
    stopping = f"stopped by {signal.Signals(stopped.number).name}: {watch.account.summary}"
    tell(f"exit {OK}: {'; '.join([stopping, *watch.delivery.owed()])}")
    return OK


def _once(watch: Watch) -> int:
    """The exit code is that of a comparison of all servers; what could not be posted is one more thing that failed."""
    stopped = watch.once()
    if stopped is not None:
        code = SIGNAL + stopped.number
        tell(f"exit {code}: stopped by {signal.Signals(stopped.number).name}; what was found so far is kept")
        return code
    judging, owed = watch.basis.judging, watch.delivery.owed()
    sides = Side(watch.basis.project.shown_lock, "lock"), Side("live servers", "live")
    others = [problem for problem in watch.basis.problems if problem.server is None]
    errors = [*others, *watch.unread.values(), *(one for each in watch.reports.values() for one in each.errors)]
    findings = tuple(one for report in watch.reports.values() for one in report.findings)
    report = Report(*sides, findings, tuple(errors))
    code = judging.code(report)
    if owed and code == OK:
        tell(f"exit {REFUSED}: could not post: {'; '.join(owed)}")
        return REFUSED
    found, whence = bool(judging.failing(report)), judging.whence(report)
    said = ending(code, judging.said(report), found=found, whence=whence, unchecked=report.errors)
    tell("; ".join([said, *owed]))
    return code
