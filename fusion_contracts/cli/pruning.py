"""What `fusion waive` says of the waivers that there are, and which of them `--prune` drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import fits, printable
from fusion_contracts.cli.output import OK, REFUSED, say, tell
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.waived import known_at, since_releases
from fusion_contracts.cli.waiving import Job, rewrite, row
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.record import record
from fusion_contracts.report.counts import count

if TYPE_CHECKING:
    from fusion_contracts.cli.judging import Judging
    from fusion_contracts.diff import Report
    from fusion_contracts.diff.waivers import Use
    from fusion_contracts.model import Lock

__all__ = ["list_waivers", "prune"]


@record
class _Since:
    """The lock since its base, and what the waivers at the base accepted."""

    report: Report
    known: frozenset[Any]


def _since(
    project: Project, judging: Judging, lock: Lock, revision: str | None, against: str | None = None
) -> _Since:
    """Compare the lock with its base, or with the releases there.

    Raises FusionError where there is none, or its settings cannot be read.
    """
    from fusion_contracts.cli.against import basis

    base = basis(project, lock, against or "base", revision, ())
    known = known_at(project, base.side.revision or "")
    if base.before is None:
        there = base.side.label if against else f"no {base.side.label}"
        raise FusionError(f"there is {there}", "the first lock has nothing to compare", stage="git")
    if known is None:
        raise FusionError(f"the settings at {base.side.label} cannot be read", "see git show", stage="git")
    return _Since(base.report(project, judging), known)


def list_waivers(job: Job) -> int:
    """Print each waiver with what it accepts in the lock since its base."""
    from fusion_contracts.cli.sides import announce
    from fusion_contracts.lockfile.disk import read_lock

    project, judging, named = job.project, job.judging, job.named
    if named.sources or named.command or named.servers:
        raise FusionError("the waivers are listed without sources", "they go with an ID", stage="usage")
    if not judging.waivers:
        say(f"exit {OK}: no waivers in {job.where}")
        return OK
    since: _Since | None = None
    try:
        since = _since(project, judging, read_lock(project.lock_path), named.base, named.against)
    except FusionError as error:
        tell(f"note: what they accept is not known: {printable(str(error))}")
    if since is not None:
        announce(job.writer, since.report.base, since.report.head)
    for use in judging.uses(since.report if since else _nothing()):
        for line in _told(use, since):
            say(line)
    say(f"exit {OK}: {count(len(judging.waivers), 'waiver')} in {job.where}")
    return OK


def _nothing() -> Report:
    from fusion_contracts.diff import Report, Side

    unknown = Side("unknown", "unknown")
    return Report(unknown, unknown)


def _told(use: Use, since: _Since | None) -> Iterator[str]:
    from fusion_contracts.diff.waivers import described

    waiver = use.waiver
    day = "" if waiver.until is None else f", until {waiver.until}"
    yield f"{printable(described(waiver))}: {_state(use, since)}{'' if use.expired else day}"
    yield f"  reason   {printable(waiver.reason)}"
    yield from map(row, use.found)


def _state(use: Use, since: _Since | None) -> str:
    if use.expired:
        return f"expired on {use.waiver.until}"
    if since is None:
        return "not compared"
    if use.found:
        return f"accepts {count(len(use.found), 'finding')}"
    if use.waiver.what in since.known:
        return "accepts nothing any more (--prune drops it)"
    return f"accepts nothing here{use.instead}"


# --- dropping --------------------------------------------------------------------------------------------------------


def prune(job: Job) -> int:
    """Drop the waivers that have expired, and those of the base that nothing needs: no lock, release or server.

    What a server that was not read could still need stays, and the exit code says so.
    """
    from fusion_contracts.config.waiving import without_waivers
    from fusion_contracts.diff.waivers import described

    project, judging, named, where = job.project, job.judging, job.named, job.where
    if named.sources or named.command:
        raise FusionError("--prune compares the lock", "leave the sources out", stage="usage")
    expired = [use for use in judging.uses(_nothing()) if use.expired]
    over, kept, problems = _spent(project, judging, named.base)
    gone = sorted([*expired, *over], key=lambda use: use.index)
    if gone:
        rewrite(project, lambda text: without_waivers(text, {use.index for use in gone}, project.home))
    for use in gone:
        say(f"dropped: {printable(described(use.waiver))}, {'expired' if use.expired else 'accepts nothing any more'}")
    for problem in problems:
        tell(f"fusion: {printable(str(problem))}")
    did = f"dropped {count(len(gone), 'waiver')} from {where}" if gone else f"nothing to drop in {where}"
    if not kept:
        say(f"exit {OK}: {did}")
        return OK
    say(f"exit {REFUSED}: {did}; could not check {count(len(kept), 'waiver')}")
    return REFUSED


def _spent(project: Project, judging: Judging, revision: str | None) -> tuple[list[Use], list[Use], list[Problem]]:
    """The waivers that are spent, those of which that cannot be said, and why not."""
    from fusion_contracts.diff.waivers import spent
    from fusion_contracts.lockfile.disk import read_lock

    candidates = [use for use in judging.uses(_nothing()) if not use.expired]
    if not candidates:
        return [], [], []
    try:
        lock = read_lock(project.lock_path)
        since = _since(project, judging, lock, revision)
        released = since_releases(project, judging)
    except FusionError as error:
        return [], candidates, [error.problem]
    over = spent(judging.uses(since.report), since.known)
    if not over:
        return [], [], []
    live, unread, problems = _live(project, judging, lock)
    needed = {use.index for report in (live, released) for use in judging.uses(report) if use.found}
    over = [use for use in over if use.index not in needed]
    kept = [use for use in over if _could_name(use, unread)]
    return [use for use in over if use not in kept], kept, problems if kept else []


def _live(project: Project, judging: Judging, lock: Lock) -> tuple[Report, list[str | None], list[Problem]]:
    """What differs between the lock and its sources, and the servers that could not be read; None is any of them."""
    from fusion_contracts.cli.fresh import freshness
    from fusion_contracts.model import Lock

    fresh = freshness(project, lock, progress=tell)
    problems = [*fresh.problems, *(stale.problem for stale in fresh.stale if stale.live is None)]
    locked = Lock({name: contract for name, contract in lock.servers.items() if name in fresh.live})
    return judging.compare(locked, Lock(fresh.live)), [problem.server for problem in problems], problems


def _could_name(use: Use, unread: Sequence[str | None]) -> bool:
    """Whether a server that was not read could have what a waiver accepts; of a fingerprint none can be excluded."""
    if use.waiver.rule is None:
        return bool(unread)
    return any(name is None or fits(name, use.waiver.server) for name in unread)
