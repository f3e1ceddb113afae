"""The two sides that `fusion diff` compares: what the command line names, read, and paired by server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.base import short_revision
from fusion_contracts.cli.output import Writer, tell
from fusion_contracts.cli.project import Project, chosen, no_server, selected
from fusion_contracts.cli.refresh import limits_of, raise_first, read
from fusion_contracts.cli.roster import Roster, spread
from fusion_contracts.cli.wanted import Access, Wanted, asked
from fusion_contracts.diff import Side
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.report.counts import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fusion_contracts.cli.comparing import Named
    from fusion_contracts.sources.base import Reading, Source

__all__ = ["Part", "announce", "live", "two"]


@record
class Part:
    """One of the two things compared: what it is called, its contracts, and what of it could not be read.

    `file` is the file of a lock that is there as it was read; `left_out` are servers of a client's configuration that
    were not read, and so are compared with nothing.
    """

    side: Side
    lock: Lock
    reading: Reading | None = None
    file: Path | None = None
    left_out: frozenset[str] = frozenset()

    @property
    def one_server(self) -> bool:
        """Whether it is a source of one server by its kind, whose NAME was derived and says little."""
        return self.side.kind in {"stdio", "http", "python", "catalog"} and len(self.lock.servers) == 1


def live(project: Project, named: Named, writer: Writer) -> tuple[Part, Part, list[Problem]]:
    """The lock, and what its sources list now. A server that cannot be read is an error and left out on both sides."""
    from fusion_contracts.cli.fresh import freshness
    from fusion_contracts.cli.noting import tell_excused

    locked = _locked(project)
    lock = selected(locked.lock, named.servers, where=project.lockfile)
    side = Side(count(len(lock.servers), "live server"), "live")
    announce(writer, locked.side, side)
    fresh = freshness(project, lock, progress=tell, globs=named.servers, effort=named.effort, access=named.access)
    tell_excused(fresh.excused)
    for note in fresh.notes:
        tell(f"note: {printable(note)}")
    for stale in fresh.stale:
        if stale.moved:
            tell(f"note: {printable(stale.name)}: {stale.moved}")
    unread = [stale.problem for stale in fresh.stale if stale.live is None and not stale.moved]
    if not (lock.servers or fresh.live or fresh.problems or fresh.stale):
        raise no_server(project)
    old = Lock({name: contract for name, contract in lock.servers.items() if name in fresh.live})
    return replace(locked, lock=old), Part(side, Lock(fresh.live)), [*fresh.problems, *unread]


def two(named: Named, project: Project, writer: Writer) -> tuple[Part, Part]:
    """The two sources that the command line names, read, and paired."""
    arguments = list(named.sources)
    if named.base is not None and named.against is not None:
        raise FusionError("--base and --against both stand for OLD", "leave one of them out", stage="usage")
    stands_for_old = named.base is not None or named.against is not None
    if len(arguments) + bool(named.command) + stands_for_old > 2:  # noqa: PLR2004 - OLD and NEW
        step = "name OLD and NEW; --base stands for OLD, a command for NEW"
        raise FusionError("three sources are named", step, stage="usage")
    if named.base is not None:
        old = _at_base(project, named.base)
        if old is None:
            return _first(project, named.base, writer)
    elif named.against is not None:
        return _since_release(named, project, writer)
    else:
        given = bool(arguments) and not _means_new(named, project)
        old = _old(named, project, arguments.pop(0)) if given else _locked(project)
    new = _new(named, project, arguments, old.lock)
    announce(writer, old.side, new.side)
    return _paired(old, new, named.servers)


def _old(named: Named, project: Project, argument: str) -> Part:
    """OLD, read. Headers go with it where it is the only URL: of two, they belong to NEW, and to no other host."""
    from fusion_contracts.sources.resolve import is_url

    alone = is_url(argument) and not named.command and not any(map(is_url, named.sources[1:]))
    access = named.access if alone else replace(named.access, headers=(), transport=None)
    return _read(project, asked(project, argument, access=access), named, access)


def _means_new(named: Named, project: Project) -> bool:
    """Whether a single source is NEW, as a command is: a Python object, which is one's own code as it is now."""
    from fusion_contracts.sources.resolve import is_url

    if len(named.sources) != 1 or named.command or is_url(named.sources[0]):
        return False
    return asked(project, named.sources[0]).source.kind == "python"


def _new(named: Named, project: Project, arguments: Sequence[str], old: Lock) -> Part:
    """The newer side: what is still named, else the lock."""
    if not arguments and not named.command:
        return _locked(project)
    given = asked(project, arguments[0] if arguments else None, named.command, access=named.access)
    return _read(project, given, named, named.access, like=old)


def _since_release(named: Named, project: Project, writer: Writer) -> tuple[Part, Part]:
    """The newest kept release of each server, and the newer side without the servers that have none."""
    from fusion_contracts.cli.against import newest_here, of_releases

    releases = newest_here(project, named.servers)
    learned = Lock({server: release.contract for server, release in releases.items()})
    new = _new(named, project, named.sources, learned)
    lock = _selected(new, named.servers)
    basis = of_releases(releases, lock)
    announce(writer, basis.side, new.side)
    for server in basis.without:
        writer.line(f"{printable(server)}: no release is kept, so no agent has learned it: nothing to compare")
    if basis.before is None:
        return Part(basis.side, Lock()), replace(new, lock=Lock())
    now = lock if new.one_server else basis.now
    return _paired(Part(basis.side, basis.before), replace(new, lock=now), named.servers)


def announce(writer: Writer, old: Side, new: Side) -> None:
    """Say first what is compared."""
    writer.line(f"{old.label} -> {new.label}")


def _read(project: Project, one: Wanted, named: Named, access: Access, *, like: Lock | None = None) -> Part:
    """A source. A live server is asked for the protocol version of the one server that it is compared with."""
    from fusion_contracts.sources.lock import LockSource

    source = one.source
    if source.kind == "config":
        return _configured(project, spread(project, one, named.servers, access), named, source, like)
    versions = {contract.protocol_version for contract in like.servers.values()} if like else set()
    version = versions.pop() if len(versions) == 1 else None
    options = project.options(tell, name=one.name, protocol_version=version)
    timeout, memory = limits_of(project, one, one.name)
    reading = source.read(replace(options, timeout=timeout, memory=memory))
    side = Side(source.label, source.kind, getattr(source, "revision", None))
    file = project.root / source.path if isinstance(source, LockSource) else None
    return Part(side, Lock({contract.name: contract for contract in reading.contracts}), reading, file)


def _configured(project: Project, roster: Roster, named: Named, source: Source, like: Lock | None) -> Part:
    """The servers of a client's configuration. Raises FusionError where none of them can be read."""
    from fusion_contracts.cli.noting import tell_excused

    reading = read(project, roster, like, named.effort)
    contracts = {contract.name: contract for contract in reading.contracts}
    away = [one for one in reading.problems if one.server not in contracts]
    excused = [one for one in away if named.effort.excuses(one.server)]
    tell_excused(excused)
    problems = tuple(one for one in reading.problems if one not in excused)
    if not contracts and problems:
        raise_first(problems)
    unread = {one.server for one in away if one.server} | roster.disabled.keys()
    side = Side(source.label, source.kind)
    return Part(side, Lock(contracts), replace(reading, problems=problems), left_out=frozenset(unread))


def _locked(project: Project) -> Part:
    from fusion_contracts.lockfile.disk import read_lock

    return Part(Side(project.shown_lock, "lock"), read_lock(project.lock_path), file=project.lock_path)


def _at_base(project: Project, revision: str) -> Part | None:
    from fusion_contracts.cli.base import base_lock

    side, lock = base_lock(project, revision)
    return None if lock is None else Part(side, lock)


def _first(project: Project, revision: str, writer: Writer) -> tuple[Part, Part]:
    shown = printable(short_revision(revision))
    writer.line(f"first lock: nothing to compare, {project.shown_lock} is not there at {shown}")
    nothing = Side(shown, "git"), Side(project.shown_lock, "lock")
    return Part(nothing[0], Lock()), Part(nothing[1], Lock())


def _paired(old: Part, new: Part, globs: Sequence[str]) -> tuple[Part, Part]:
    """Both sides with the servers that are compared: those that `-s` selects, a single server with its namesake.

    A release is of the servers that it holds, and says nothing of any other.
    """
    before, after = _selected(old, globs), _selected(new, globs)
    before, after = _without(before, new.left_out), _without(after, old.left_out)
    if globs and not before.servers and not after.servers:
        shown = printable(" or ".join(globs))
        raise FusionError(f"neither side holds a server that matches {shown}", "check -s", stage="usage")
    if new.one_server and len(before.servers) > 1:
        before = _namesake(before, after, old.side)
    if old.one_server and len(after.servers) > 1:
        after = _namesake(after, before, new.side)
    if new.side.kind == "release":
        before = _held(before, after, new.side, globs)
    if old.side.kind == "release":
        after = _held(after, before, old.side, globs)
    return _settled(replace(old, lock=before), replace(new, lock=after))


def _selected(part: Part, globs: Sequence[str]) -> Lock:
    if part.one_server:
        return part.lock
    return chosen(part.lock, globs)


def _without(lock: Lock, names: frozenset[str]) -> Lock:
    return Lock({name: contract for name, contract in lock.servers.items() if name not in names})


def _namesake(many: Lock, single: Lock, side: Side) -> Lock:
    name = next(iter(single.servers))
    if name not in many.servers:
        known = printable(", ".join(many.servers))
        message = f"{side.label} holds several servers and none is called {printable(name)}"
        raise FusionError(message, f"choose one with -s: {known}", stage="usage")
    return Lock({name: many.servers[name]})


def _held(many: Lock, kept: Lock, side: Side, globs: Sequence[str]) -> Lock:
    """The servers of the other side that a release is of; a single one is that, whatever it is called.

    Raises FusionError where -s leaves nothing of the release.
    """
    if globs and not kept.servers:
        shown = printable(" or ".join(globs))
        raise FusionError(f"{side.label} holds no server that matches {shown}", "check -s", stage="usage")
    if len(many.servers) == len(kept.servers) == 1:
        return many
    return Lock({name: contract for name, contract in many.servers.items() if name in kept.servers})


def _settled(old: Part, new: Part) -> tuple[Part, Part]:
    """What one side failed to list is taken to be as on the other: it was not checked, and so has not changed."""
    if not any(part.reading and part.reading.problems for part in (old, new)):
        return old, new
    from fusion_contracts.sources.base import keep_unread

    def filled(part: Part, other: Part) -> Part:
        if part.reading is None:
            return part
        alone = len(other.lock.servers) == len(part.lock.servers) == 1
        servers = {}
        for name, contract in part.lock.servers.items():
            twin = next(iter(other.lock.servers.values())) if alone else other.lock.servers.get(name)
            servers[name] = keep_unread(contract, twin, part.reading)
        return replace(part, lock=Lock(servers))

    return filled(old, new), filled(new, old)
