"""What `fusion release` keeps, removes and says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import FOUND, OK, REFUSED, say, tell
from fusion_contracts.cli.project import Project, no_server, selected
from fusion_contracts.cli.release_name import checked_name, default_name
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import RELEASES
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record
from fusion_contracts.report.counts import count
from fusion_contracts.sources.naming import is_folder_name

if TYPE_CHECKING:
    from fusion_contracts.cli.packing import Packed
    from fusion_contracts.runtime.releases import Kept

__all__ = ["Job", "keep_releases", "release_folder"]

_SHOWN = 100  # characters of a name in a sentence


@record
class Job:
    """What the command line asks of `fusion release`; `newest`: how many releases of a server stay."""

    project: Project
    name: str | None
    servers: tuple[str, ...]
    newest: int | None
    package: str | None


@record
class Outcome:
    """One server: the release that holds its contract, whether it is a new one, and those that were removed."""

    contract: ServerContract
    name: str
    sequence: int
    path: Path
    new: bool
    removed: tuple[str, ...] = ()


def keep_releases(job: Job, *, machine: bool) -> int:
    """Keep what is new in the lock, remove what is too old, write the package's file.

    A server whose name can be no folder's hides no other: a client's configuration may call it so. Runs at the same
    moment take turns, each with a number of its own. Raises FusionError before anything is written where a name is
    missing, wrong or taken, or the package is none.
    """
    from fusion_contracts.lockfile.alone import alone

    with alone([job.project.root]):
        return _keep(job, machine=machine)


def _keep(job: Job, *, machine: bool) -> int:
    project = job.project
    lock = _intact(project, job.servers)
    if lock is None:
        tell(f"exit {FOUND}: {project.shown_lock} was edited by hand or merged badly; nothing was kept")
        return FOUND
    if job.name is not None:
        checked_name(job.name)
    package = None if job.package is None else _package(project, job.package, lock)
    without = [] if package else [name for name in lock.servers if not is_folder_name(name)]
    if len(without) == len(lock.servers):
        release_folder(project, without[0])
    outcomes = [_planned(job, contract) for name, contract in lock.servers.items() if name not in without]
    for outcome in outcomes:
        if outcome.new:
            _write(project, outcome)
    outcomes = [replace(outcome, removed=_prune(project, outcome, job.newest)) for outcome in outcomes]
    packed = None if package is None else _packed(project, package, lock)
    _say(outcomes, packed, machine=machine)
    return _left_out(project, without) if without else OK


def _left_out(project: Project, names: Sequence[str]) -> int:
    """Say which servers were not kept, and why."""
    for name in names:
        try:
            release_folder(project, name)
        except FusionError as error:
            tell(f"fusion: {error}")
    tell(f"exit {REFUSED}: {count(len(names), 'server')} not kept")
    return REFUSED


def release_folder(project: Project, server: str) -> Path:
    """Where the releases of a server are, below the project's folder. Raises FusionError where that leads elsewhere.

    The name is from the lock and the folder from the repository: files are written there, and removed.
    """
    if not is_folder_name(server):
        message = f'the server\'s name "{printable(server[:_SHOWN])}" cannot be the name of a folder on every system'
        step = "rename it where it is named, in the settings or the client's configuration, and lock it again"
        raise FusionError(message, step, stage="usage")
    folder = project.root / RELEASES / server
    if not folder.resolve().is_relative_to(project.root.resolve()):
        message = f"{_shown(folder, project)} is a link that leaves the project"
        raise FusionError(message, "make it a folder", stage="usage")
    return folder


def _intact(project: Project, globs: Sequence[str]) -> Lock | None:
    """The selected servers of the lock; None where it was edited, which is told."""
    from fusion_contracts.lockfile.disk import read_files
    from fusion_contracts.lockfile.verify import damage

    opened = read_files(project.lock_path, project.lockfile).open()
    lock = selected(opened.lock, globs, where=project.shown_lock)
    if not lock.servers:
        raise no_server(project)
    edited = damage(opened)
    for problem in edited:
        tell(printable(str(problem)))
    return None if edited else lock


def _planned(job: Job, contract: ServerContract) -> Outcome:
    """What is to be done for one server, its file unwritten. Raises FusionError where the name is taken."""
    from fusion_contracts.runtime.releases import kept

    folder = release_folder(job.project, contract.name)
    present = kept(folder)
    last = present[-1] if present and _same(present[-1], contract) else None
    if last is not None and job.name is None:
        return Outcome(contract, last.name, last.sequence, last.path, new=False)
    name = job.name or default_name(job.project, contract)
    path = folder / f"{name}.lock"
    for one in present:
        if one.name.casefold() == name.casefold() or one.path.name.casefold() == path.name.casefold():
            if not _same(one, contract):
                raise _taken(one, contract, _shown(one.path, job.project))
            last = last or one
    if last is not None:
        return Outcome(contract, last.name, last.sequence, last.path, new=False)
    return Outcome(contract, name, max((one.sequence for one in present), default=0) + 1, path, new=True)


def _same(one: Kept, contract: ServerContract) -> bool:
    """Whether a release holds the same surface, by its digests."""
    from fusion_contracts.lockfile.codec import decode
    from fusion_contracts.lockfile.verify import surface_changes

    before = decode(one.text, origin=str(one.path)).servers.get(contract.name)
    return before is not None and not surface_changes(before, contract)


def _taken(one: Kept, contract: ServerContract, shown: str) -> FusionError:
    message = f"release {printable(one.name)} is kept already, with another contract"
    step = f"give this one a name of its own, or remove {shown} if no agent ever saw that one"
    return FusionError(message, step, server=printable(contract.name), stage="usage")


def _write(project: Project, outcome: Outcome) -> None:
    from fusion_contracts.lockfile.codec import encode
    from fusion_contracts.lockfile.file import write_atomic
    from fusion_contracts.runtime.releases import release_head

    contract = outcome.contract
    text = release_head(outcome.name, outcome.sequence) + encode(Lock({contract.name: contract}))
    try:
        outcome.path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder {_shown(outcome.path.parent, project)}: {error.strerror}"
        raise FusionError(message, "check its path and permissions", stage="usage") from None
    write_atomic(outcome.path, text)


def _prune(project: Project, outcome: Outcome, newest: int | None) -> tuple[str, ...]:
    """Remove the releases of a server beyond the newest; their names."""
    from fusion_contracts.runtime.releases import kept

    old = () if newest is None else kept(outcome.path.parent)[:-newest]
    for one in old:
        try:
            one.path.unlink()
        except OSError as error:
            message = f"cannot remove {_shown(one.path, project)}: {error.strerror}"
            raise FusionError(message, "check its permissions", stage="usage") from None
    return tuple(one.name for one in old)


def _package(project: Project, given: str, lock: Lock) -> Path:
    from fusion_contracts.cli.packing import package_folder

    if len(lock.servers) > 1:
        names = ", ".join(map(printable, lock.servers))
        message = f"a package carries the changes of one server, and {project.shown_lock} holds {names}"
        raise FusionError(message, "name one with -s", stage="usage")
    return package_folder(project.root, given, next(iter(lock.servers)))


def _packed(project: Project, package: Path, lock: Lock) -> Packed:
    from fusion_contracts.cli.packing import pack_into

    (contract,) = lock.servers.values()
    return pack_into(package, release_folder(project, contract.name), contract, root=project.root)


def _shown(path: Path, project: Project) -> str:
    """A path below the project's folder, for people."""
    return printable(path.relative_to(project.root).as_posix())


def _say(outcomes: Sequence[Outcome], packed: Packed | None, *, machine: bool) -> None:
    for note in packed.notes if packed else ():
        tell(f"note: {note}")
    if machine:
        import json

        found = {"releases": [_document(one) for one in outcomes], "package": packed.to_dict() if packed else None}
        say(json.dumps(found, indent=2))
        return
    for one in outcomes:
        server, name = printable(one.contract.name), printable(one.name)
        kept = f"kept release {name} in {printable(_place(one))}"
        did = kept if one.new else f"as in release {name}; nothing to keep"
        say(f"{server}: {did}")
        if one.removed:
            say(f"{server}: removed {', '.join(map(printable, one.removed))}")
    if packed:
        say(str(packed))


def _place(one: Outcome) -> str:
    """Where a release is, below the project's folder."""
    return f"{RELEASES}/{one.contract.name}/{one.path.name}"


def _document(one: Outcome) -> dict[str, object]:
    return {
        "server": one.contract.name,
        "name": one.name,
        "sequence": one.sequence,
        "path": _place(one),
        "new": one.new,
        "removed": list(one.removed),
    }
