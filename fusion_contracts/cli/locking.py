"""What `fusion lock` does and says."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fusion_contracts import config
from fusion_contracts.canonical import printable
from fusion_contracts.cli.fresh import Freshness, freshness
from fusion_contracts.cli.noting import tell_notes
from fusion_contracts.cli.output import FOUND, OK, REFUSED, say, tell
from fusion_contracts.cli.project import Judging, Project, matches, selected
from fusion_contracts.cli.refresh import Refreshed, new_text, refresh
from fusion_contracts.cli.wanted import (
    Access,
    Wanted,
    as_config,
    asked,
    configured,
    locked_as,
    names_same,
    same_origin,
)
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock
from fusion_contracts.report.counts import count

if TYPE_CHECKING:
    from fusion_contracts.errors import Problem

__all__ = ["Job", "in_ci", "verify_lock", "write_lock"]


@dataclass(frozen=True, slots=True)
class Job:
    """What the command line asks of `fusion lock`."""

    project: Project
    source: str | None
    command: tuple[str, ...]
    name: str | None
    servers: tuple[str, ...]
    prune: bool = False
    access: Access = field(default_factory=Access)

    @property
    def names_source(self) -> bool:
        """Whether the command line names a source."""
        return self.source is not None or bool(self.command)


def write_lock(job: Job, *, write: bool) -> int:
    """Read the sources, say what changes, write the lock. Raises FusionError where nothing can be locked at all."""
    project = job.project
    old = _present(project)
    locked = _decoded(old, project)
    wanted, broken = _wanted(job, locked)
    found = refresh(project, wanted, locked, twice=True, progress=tell, globs=job.servers)
    found.problems = [*broken, *found.problems]
    found.unread += len(broken)
    gone = _gone(job, locked, found)
    _require(found, job, gone)
    text = new_text(old, locked, found.contracts, gone, origin=project.lockfile)
    settings = _settings(project, wanted, found)
    tell_notes(found, locked, gone, project)
    _say_accepted(project, locked, found, gone)
    if old is not None and text != old and in_ci(os.environ) and not write:
        step = "run fusion lock elsewhere and commit it, or add --write"
        say(f"exit {FOUND}: {project.shown_lock} would change, and CI is set: {step}")
        return FOUND
    _write(project, text, old, settings)
    return _finish(project, locked, found, gone, changed=text != old)


def _present(project: Project) -> str | None:
    """The text of the present lock, None where there is none."""
    from fusion_contracts.lockfile.file import read_text

    return read_text(project.lock_path) if os.path.lexists(project.lock_path) else None


def _decoded(text: str | None, project: Project) -> Lock:
    from fusion_contracts.lockfile.codec import decode

    return Lock() if text is None else decode(text, origin=project.lockfile)


def _wanted(job: Job, locked: Lock) -> tuple[list[Wanted], list[Problem]]:
    """The sources to read, and those that cannot be. Raises FusionError where none is named."""
    project = job.project
    if not job.names_source:
        for option, given in {"--name": job.name is not None, **job.access.given}.items():
            if given:
                step = "name one, or write it in the settings"
                raise FusionError(f"{option} goes with a SOURCE or a command", step, stage="usage")
        found, broken = configured(project, job.servers)
        if job.access.timeout is not None:
            found = [replace(one, timeout=job.access.timeout) for one in found]
        if not found and not broken and not (job.prune and locked.servers):
            raise _nothing_configured(project, job.servers)
        return found, broken
    one = asked(project, job.source, job.command, name=job.name, access=job.access)
    old = locked_as(one, locked)
    return [replace(one, name=one.name or (old.name if old else None))], []


def _nothing_configured(project: Project, globs: Sequence[str]) -> FusionError:
    from fusion_contracts.lockfile.file import lock_above

    if globs and project.config.sources:
        known = printable(", ".join(project.config.sources))
        shown = printable(" or ".join(globs))
        return FusionError(f"no configured source matches {shown}", f"there are: {known}", stage="usage")
    above = None if os.path.lexists(project.lock_path) else lock_above(project.lock_path)
    further = f", or run it with -C {above}, where there is a lock" if above else ""
    message = "there is nothing to lock: no source is configured"
    return FusionError(message, f"name one: fusion lock -- COMMAND{further}", stage="usage")


def _gone(job: Job, locked: Lock, found: Refreshed) -> frozenset[str]:
    """The servers that `--prune` drops: those in the lock that the settings do not name."""
    if not job.prune:
        return frozenset()
    named = {*job.project.config.sources, *found.contracts}
    return frozenset(name for name in locked.servers if name not in named and matches(name, job.servers))


def _require(found: Refreshed, job: Job, gone: Collection[str]) -> None:
    """Raise FusionError where no source gave anything and nothing is dropped: then nothing is written."""
    if found.contracts or (gone and not found.problems):
        return
    if job.prune and not found.problems:
        raise _nothing_configured(job.project, job.servers)
    if len(found.problems) == 1:
        one = found.problems[0]
        raise FusionError(one.message, one.next, server=one.server, stage=one.stage)
    for problem in found.problems:
        tell(f"fusion: {printable(str(problem))}")
    if found.problems:
        raise FusionError("no source could be read", "see above; nothing was written")
    shown = printable(" or ".join(job.servers))
    message = f"the source holds no server that matches {shown}"
    raise FusionError(message, "check -s; nothing was written", stage="usage")


def _settings(project: Project, wanted: Sequence[Wanted], found: Refreshed) -> str | None:
    """The text of the settings file with the new source in it; None where nothing is missing.

    Raises FusionError where the file names another source under that NAME: settings are changed by people.
    """
    text: str | None = None
    for contract in found.contracts.values():
        source = next((one.source for one in wanted if same_origin(one, contract)), None)
        entry = as_config(contract.source, source) if contract.source else None
        present = project.config.sources.get(contract.name)
        if source is None or entry is None or contract.source is None:
            continue
        if present is None:
            before = (config.text_of(project.home) or "") if text is None else text
            text = config.with_source(before, contract.name, entry, project.home)
        elif not names_same(contract.source, present):
            where = f"{project.home.path.name} names another source for {printable(contract.name)}"
            raise FusionError(where, "change it there, or give another --name; nothing was written", stage="usage")
    return text


def _say_accepted(project: Project, locked: Lock, found: Refreshed, gone: Collection[str]) -> None:
    """Print what writing the lock accepts: the findings from the old lock to the new, servers that are dropped too."""
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.report.context import Context
    from fusion_contracts.report.text import render_findings

    touched = {*found.contracts, *gone}
    before = Lock({name: contract for name, contract in locked.servers.items() if name in touched})
    report = Judging.of(project).compare(before, Lock(found.contracts))
    for name in sorted(found.contracts.keys() - before.servers.keys()) if locked.servers else ():
        say(f"new: {printable(name)}, {count(len(found.contracts[name].tools), 'tool')}")
    findings = tuple(finding for finding in report.findings if finding.rule != "server-added")  # said above
    if findings:
        costs = tuple(cost for cost in report.costs if cost.server in before.servers)
        report = replace(report, findings=findings, costs=costs)
        look = Writer()
        say(f"This accepts, for {project.shown_lock}:")
        say(render_findings(report, Context(width=look.width, colour=look.colour)).rstrip("\n"))


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether `CI` is set, as nearly every CI sets it."""
    return environ.get("CI", "").lower() not in {"", "false", "0"}


def _write(project: Project, text: str, old: str | None, settings: str | None) -> None:
    """Write the lock and the settings, both or none. Raises FusionError where another run wrote the lock meanwhile."""
    from fusion_contracts.lockfile.file import MAX_BYTES, write_together

    if len(text.encode()) > MAX_BYTES:
        message = f"{project.shown_lock} would be larger than {MAX_BYTES >> 20} MB, which is more than is read again"
        raise FusionError(message, "nothing was written; lock its servers in several files: --lockfile", stage="lock")

    def unchanged() -> None:
        if _present(project) != old:
            message = f"{project.shown_lock} was changed while the servers were read"
            raise FusionError(message, "nothing was written; run it again", stage="lock")

    texts = {project.lock_path: text} if text != old else {}
    write_together(texts if settings is None else {**texts, project.home.path: settings}, unchanged)
    if settings is not None:
        tell(f"added the source to [{project.home.prefix}sources] in {project.home.path.name}")


def _finish(project: Project, locked: Lock, found: Refreshed, gone: Collection[str], *, changed: bool) -> int:
    """Print the last line: what the lock holds, and what it could not take."""
    servers = {name: one for name, one in {**locked.servers, **found.contracts}.items() if name not in gone}
    tools = sum(len(contract.tools) for contract in servers.values())
    holds = f"{count(len(servers), 'server')}, {count(tools, 'tool')}"
    did = f"wrote {project.shown_lock}" if changed else f"{project.shown_lock} is up to date"
    if not found.problems:
        say(f"{did}: {holds}")
        return OK
    missing = [f"{count(found.refused, 'tool')} refused"] if found.refused else []
    missing += [f"{count(found.unread, 'server')} not read"] if found.unread else []
    said = ", ".join(missing) or f"{count(len(found.problems), 'problem')} above"
    say(f"exit {REFUSED}: {did}: {holds}; {said}")
    return REFUSED


def verify_lock(job: Job) -> int:
    """`--check`: say whether the lock is intact and equal to its sources. Only reads."""
    from fusion_contracts.lockfile.codec import open_lock
    from fusion_contracts.lockfile.file import read_text
    from fusion_contracts.lockfile.verify import damage

    project = job.project
    if job.prune:
        raise FusionError("--prune changes the lock, and --check only reads", "give one of the two", stage="usage")
    opened = open_lock(read_text(project.lock_path), origin=project.lockfile)
    edited = damage(opened)
    lock = selected(opened.lock, job.servers, where=project.lockfile)
    given = asked(project, job.source, job.command, name=job.name, access=job.access) if job.names_source else None
    if given is not None:
        given = _paired(given, lock)
    fresh = freshness(project, lock, progress=tell, globs=job.servers, given=given)
    return _verdict(project, lock, edited, fresh)


def _paired(given: Wanted, lock: Lock) -> Wanted:
    """The given source under the NAME of the locked server that it is compared with."""
    old = locked_as(given, lock)
    if old is None and len(lock.servers) == 1:
        (old,) = lock.servers.values()
    return replace(given, name=old.name if old else given.name)


def _verdict(project: Project, lock: Lock, edited: Sequence[Problem], fresh: Freshness) -> int:
    for note in fresh.notes:
        tell(f"note: {printable(note)}")
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
    tools = sum(len(lock.servers[name].tools) for name in fresh.unchanged)
    counted = f"{count(len(fresh.unchanged), 'server')}, {count(tools, 'tool')}"
    say(f"exit {OK}: {project.shown_lock} is intact and equal to its sources: {counted}")
    return OK
