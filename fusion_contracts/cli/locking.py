"""What `fusion lock` does and says."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain

from fusion_contracts import config
from fusion_contracts.canonical import printable
from fusion_contracts.cli.gathering import journaled
from fusion_contracts.cli.noting import tell_notes, unpinned_note
from fusion_contracts.cli.output import FOUND, OK, REFUSED, say, tell
from fusion_contracts.cli.project import Judging, Project, matches
from fusion_contracts.cli.refresh import Effort, Refreshed, raise_first, refresh
from fusion_contracts.cli.roster import Roster, all_disabled, configured, key_of, refuse_names, spread
from fusion_contracts.cli.wanted import (
    Access,
    Wanted,
    as_config,
    asked,
    locked_as,
    names_same,
    same_origin,
)
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.files import MOST, LockFiles, renewed
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.report.counts import count

__all__ = ["Job", "in_ci", "write_lock"]


@record
class Job:
    """What the command line asks of `fusion lock`."""

    project: Project
    source: str | None
    command: tuple[str, ...]
    name: str | None
    servers: tuple[str, ...]
    prune: bool = False
    access: Access = field(default_factory=Access)
    effort: Effort = field(default_factory=Effort)

    @property
    def names_source(self) -> bool:
        """Whether the command line names a source."""
        return self.source is not None or bool(self.command)


def write_lock(job: Job, *, write: bool) -> int:
    """Read the sources, say what changes, write the lock. Raises FusionError where nothing can be locked at all."""
    project = job.project
    old = _present(project)
    locked = old.open().lock
    roster, named = _roster(job, locked)
    refuse_names(roster, locked.servers, job.name)
    with journaled(project, old.state, job.effort, len(roster.wanted)) as journal:
        found = refresh(
            project, roster, locked, twice=True, progress=tell, globs=job.servers, effort=job.effort, journal=journal
        )
        return _settle(job, (old, locked), roster, named, found, write=write)


def _settle(  # noqa: PLR0913 - what was, what is wanted, what was read
    job: Job, present: tuple[LockFiles, Lock], roster: Roster, named: frozenset[str], found: Refreshed, *, write: bool
) -> int:
    """Say what changes, and write it. Raises FusionError as `write_lock`."""
    project, (old, locked) = job.project, present
    found.notes += unpinned_note(roster.wanted)
    gone = _gone(job, locked, named | found.contracts.keys())
    if found.excused and not (found.contracts or found.problems or gone):
        return _away(project, found, old)
    _require(found, job, gone)
    new = renewed(old, locked, found.contracts, gone)
    known = config.text_of(project.home)
    settings = _settings(job, roster.wanted, found)
    tell_notes(found, locked, named | gone | found.contracts.keys(), project)
    _say_accepted(project, locked, found, gone)
    if old.there and new != old and in_ci(os.environ) and not write:
        step = "run fusion lock elsewhere and commit it, or add --write"
        say(f"exit {FOUND}: {project.shown_lock} would change, and CI is set: {step}")
        return FOUND
    _write(project, (old, new), (known, settings))
    _say_layout(project, old, new)
    return _finish(project, locked, found, gone, changed=new != old)


def _present(project: Project) -> LockFiles:
    """The files of the present lock, none where there is no lock."""
    from fusion_contracts.lockfile.disk import present_files

    return present_files(project.lock_path, project.lockfile)


def _roster(job: Job, locked: Lock) -> tuple[Roster, frozenset[str]]:
    """The sources to read, and every NAME that the settings or the command line speak of.

    Raises FusionError where none is named.
    """
    project = job.project
    if not job.names_source:
        for option, given in {"--name": job.name is not None, **job.access.given}.items():
            if given:
                step = "name one, or write it in the settings"
                raise FusionError(f"{option} goes with a SOURCE or a command", step, stage="usage")
        roster = configured(project, job.servers, job.access)
        if not roster.wanted and not roster.problems and not (job.prune and locked.servers):
            raise _nothing_configured(project, job.servers, roster)
        return roster, _named(roster, locked)
    one = asked(project, job.source, job.command, name=job.name, access=job.access)
    old = locked_as(one, locked) if one.source.kind != "config" else None
    one = replace(one, name=one.name or (old.name if old else None))
    roster = spread(project, one, job.servers, job.access)
    return roster, _named(configured(project), locked) | roster.names


def _named(roster: Roster, locked: Lock) -> frozenset[str]:
    """The NAMEs that settings speak of; every locked one may be, where a configuration cannot be read."""
    return frozenset({*roster.names, *(locked.servers if roster.blind else ())})


def _nothing_configured(project: Project, globs: Sequence[str], roster: Roster) -> FusionError:
    from fusion_contracts.lockfile.file import is_there, lock_above

    if roster.disabled:
        return all_disabled(roster)
    if globs and roster.names:
        known = printable(", ".join(sorted(roster.names)))
        shown = printable(" or ".join(globs))
        return FusionError(f"no configured source matches {shown}", f"there are: {known}", stage="usage")
    above = None if is_there(project.lock_path) else lock_above(project.lock_path)
    further = f", or run it with -C {above}, where there is a lock" if above else ""
    message = "there is nothing to lock: no source is configured"
    return FusionError(message, f"name one: fusion lock -- COMMAND{further}", stage="usage")


def _away(project: Project, found: Refreshed, old: LockFiles) -> int:
    """Nothing was read, and all of it may be away: say so, and write nothing."""
    tell_notes(found, Lock(), frozenset(), project)
    kept = f"{project.shown_lock} stays as it is" if old.there else f"{project.shown_lock} was not written"
    say(f"exit {OK}: {kept}: no server could be read, which is allowed")
    return OK


def _gone(job: Job, locked: Lock, named: Collection[str]) -> frozenset[str]:
    """The servers that `--prune` drops: those in the lock that the settings do not name."""
    if not job.prune:
        return frozenset()
    return frozenset(name for name in locked.servers if name not in named and matches(name, job.servers))


def _require(found: Refreshed, job: Job, gone: Collection[str]) -> None:
    """Raise FusionError where no source gave anything and nothing is dropped: then nothing is written."""
    if found.contracts or (gone and not found.problems):
        return
    if job.prune and not found.problems:
        raise _nothing_configured(job.project, job.servers, configured(job.project))
    if found.problems:
        raise_first(found.problems)
    shown = printable(" or ".join(job.servers))
    message = f"the source holds no server that matches {shown}"
    raise FusionError(message, "check -s; nothing was written", stage="usage")


def _settings(job: Job, wanted: Sequence[Wanted], found: Refreshed) -> str | None:
    """The text of the settings file with the new source in it; None where nothing is missing.

    A client's configuration is one source, which vouches for its servers.

    Raises FusionError where the file names another source under that NAME: settings are changed by people.
    """
    project, text = job.project, _with_file(job, wanted)
    by_name = {one.name: one for one in wanted}
    for contract in found.contracts.values():
        likely = [by_name[contract.name]] if contract.name in by_name else []  # of many thousands, the first is it
        one = next((one for one in chain(likely, wanted) if same_origin(one, contract)), None)
        entry = as_config(contract.source, one.source) if contract.source and one else None
        present = project.config.sources.get(contract.name)
        if one is None or entry is None or contract.source is None or (one.config and _is_file(present)):
            continue
        if present is None and one.config is None:
            before = (config.text_of(project.home) or "") if text is None else text
            text = config.with_source(before, contract.name, entry, project.home)
        elif present is not None and not names_same(contract.source, present):
            where = f"{project.home.path.name} names another source for {printable(contract.name)}"
            raise FusionError(where, "change it there, or give another --name; nothing was written", stage="usage")
    return text


def _is_file(entry: config.Source | None) -> bool:
    """Whether an entry of the settings is a file, whose key says nothing about the servers in it."""
    return entry is not None and entry.path is not None


def _with_file(job: Job, wanted: Sequence[Wanted]) -> str | None:
    """The text of the settings file with the client's configuration of the command line; None where it is there."""
    project = job.project
    if not any(one.config for one in wanted) or not job.names_source:
        return None
    one = asked(project, job.source, job.command, access=job.access)
    if one.name is not None or one.record is None or one.record.path is None:
        return None
    key = key_of(one.record.path, project.config.sources)
    entry = config.Source(path=one.record.path, pass_env=job.access.pass_env)
    return config.with_source(config.text_of(project.home) or "", key, entry, project.home)


def _say_accepted(project: Project, locked: Lock, found: Refreshed, gone: Collection[str]) -> None:
    """Print what writing the lock accepts: the findings from the old lock to the new, servers that are dropped too."""
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.report.context import Context
    from fusion_contracts.report.formats.text import render_findings

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


def _write(project: Project, lock: tuple[LockFiles, LockFiles], settings: tuple[str | None, str | None]) -> None:
    """Write the lock and the settings, both or none, each a pair of what it was and what it becomes.

    Raises FusionError where another run wrote one meanwhile.
    """
    from fusion_contracts.lockfile.disk import write_files
    from fusion_contracts.lockfile.file import MAX_BYTES

    (old, new), (known, added) = lock, settings
    if any(len(text.encode()) > MAX_BYTES for text in (new.whole or "", *new.parts.values())):
        message = f"{project.shown_lock} would be larger than {MAX_BYTES >> 20} MB, which is more than is read again"
        raise FusionError(message, "nothing was written; lock its servers in several files: --lockfile", stage="lock")

    def unchanged() -> None:
        if _present(project) != old:
            message = f"{project.shown_lock} was changed while the servers were read"
            raise FusionError(message, "nothing was written; run it again", stage="lock")
        if added is not None and config.text_of(project.home) != known:
            message = f"{project.home.path} was changed meanwhile"
            raise FusionError(message, "nothing was written; run it again", stage="usage")

    write_files(project.lock_path, old, new, {} if added is None else {project.home.path: added}, unchanged)
    if added is not None:
        tell(f"added the source to [{project.home.prefix}sources] in {project.home.path.name}")


def _say_layout(project: Project, old: LockFiles, new: LockFiles) -> None:
    """Say that the lock is a folder from here on, or how it would no longer be one."""
    if new.parts and not old.parts:
        tell(f"note: more than {MOST} servers: one file a server from here on, in {project.shown_lock}")
    elif len(old.parts) > MOST >= len(new.parts) > 0:
        step = "for one file again, remove it and run fusion lock"
        tell(f"note: {project.shown_lock} stays, though {MOST} servers would go into one file; {step}")


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
