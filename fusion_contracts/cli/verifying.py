"""What `fusion lock --check` does and says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fusion_contracts.canonical import printable
from fusion_contracts.cli.fresh import Freshness, freshness
from fusion_contracts.cli.locking import Job
from fusion_contracts.cli.noting import tell_excused
from fusion_contracts.cli.output import FOUND, OK, REFUSED, say, tell
from fusion_contracts.cli.project import Project, no_server, selected
from fusion_contracts.cli.roster import spread
from fusion_contracts.cli.wanted import Wanted, asked, locked_as
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock
from fusion_contracts.report.counts import count

__all__ = ["paired", "verify_lock"]


def verify_lock(job: Job) -> int:
    """`--check`: say whether the lock is intact and equal to its sources. Only reads."""
    from fusion_contracts.lockfile.disk import read_files
    from fusion_contracts.lockfile.verify import damage

    project = job.project
    for option, wanted in {"--prune changes": job.prune, "--resume goes on with writing": job.effort.resume}.items():
        if wanted:
            raise FusionError(f"{option} the lock, and --check only reads", "give one of the two", stage="usage")
    opened = read_files(project.lock_path, project.lockfile).open()
    edited = damage(opened)
    lock = selected(opened.lock, job.servers, where=project.lockfile)
    given = None
    if job.names_source:
        one = asked(project, job.source, job.command, name=job.name, access=job.access)
        one = one if one.source.kind == "config" else paired(one, lock)
        given = spread(project, one, job.servers, job.access)
    fresh = freshness(
        project, lock, progress=tell, globs=job.servers, given=given, effort=job.effort, access=job.access
    )
    return _verdict(project, lock, edited, fresh)


def paired(given: Wanted, lock: Lock) -> Wanted:
    """The given source under the NAME of the locked server that it is compared with."""
    old = locked_as(given, lock)
    if old is None and len(lock.servers) == 1:
        (old,) = lock.servers.values()
    return replace(given, name=old.name if old else given.name)


def _verdict(project: Project, lock: Lock, edited: Sequence[Problem], fresh: Freshness) -> int:
    for note in fresh.notes:
        tell(f"note: {printable(note)}")
    tell_excused(fresh.excused)
    for problem in (*edited, *fresh.problems):
        say(printable(str(problem)))
    for stale in fresh.stale:
        say(printable(str(stale.problem)))
    faults = [f"{project.shown_lock} was edited by hand or merged badly"] if edited else []
    faults += [f"{project.shown_lock} is stale"] if fresh.stale else []
    unread = [f"{count(len(fresh.unread), 'server')} not checked"] if fresh.problems else []
    if faults:
        say(f"exit {FOUND}: {'; '.join([*faults, *unread])}")
        return FOUND
    if fresh.problems:
        say(f"exit {REFUSED}: could not check: {unread[0]}")
        return REFUSED
    if not lock.servers:
        raise no_server(project)
    tools = sum(len(lock.servers[name].tools) for name in fresh.unchanged)
    counted = f"{count(len(fresh.unchanged), 'server')}, {count(tools, 'tool')}"
    say(f"exit {OK}: {project.shown_lock} is intact and equal to its sources: {counted}")
    return OK
