"""Where the contracts are that agents have learned: one line in the log says what was found, or where it was looked."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.integrations.options import Options
from fusion_contracts.integrations.supposed import Supposed, supposed
from fusion_contracts.lockfile.choosing import meant
from fusion_contracts.lockfile.file import DEFAULT_NAME, RELEASES, is_there, read_text
from fusion_contracts.model import ServerContract
from fusion_contracts.runtime.deltas import version_of
from fusion_contracts.runtime.releases import PACKED, Known, Release, known_in

__all__ = ["find"]

_ROOTS = (".git", "pyproject.toml")  # what stands in the top folder of a project
_HIGHEST = 8  # folders that are climbed where no project's top is met
_log = logging.getLogger("fusion_contracts.integrations")


def find(options: Options, server: str, near: str | PathLike[str] | None = None) -> Known:
    """The releases of a server, by its NAME: those that the options name, or those that are found.

    Looked for, in this order: a package's `fusion_deltas.json`, the folder `.fusion/releases`, `fusion.lock`; each in
    the folder `near` (of the program that is set up), then in those above it up to the project's top, then the same
    from the working directory. The only server of such a place is meant, whatever it is called, as long as its tools do
    not say otherwise (see `supposed`).

    One line in the log says what was found, or where it was looked. Raises FusionError instead where the options are
    strict and there is none, or it cannot be read.
    """
    try:
        known = _known(options, server, near)
    except (FusionError, OSError) as error:
        if options.strict:
            raise
        _log.warning("Agents are not told what changed in %s: %s", printable(server), printable(str(error)))
        return Known(server)
    if known:
        _log.info("Agents are told what changed in %s since %s", printable(server), _described(known))
        return known
    searched = ", ".join(str(path) for path in known.searched)
    places = printable(searched if options.releases is not None else _looked(near))
    if options.strict:
        raise FusionError(f"no release of {printable(server)} is in {places}", "keep one: fusion release NAME")
    _log.warning("Agents are not told what changed in %s: no release is in %s", printable(server), places)
    return known


def _known(options: Options, server: str, near: str | PathLike[str] | None) -> Known:
    given = options.releases
    if isinstance(given, ServerContract):
        return Known(server, releases=(Release(version_of(given), 1, given),))
    if given is not None:
        path = Path(given)
        return _locked(path, server) if path.is_file() else known_in(path, server)
    folders = list(dict.fromkeys([*_upwards(near), *_upwards(Path.cwd())]))
    searched: list[Path] = []
    for folder in folders:
        packed, kept = folder / PACKED, folder / RELEASES
        searched += [packed, kept]
        if packed.is_file():
            return Known(server, (packed,), packed=read_text(packed))
        known = known_in(kept, server) if kept.is_dir() else None
        if known:
            return supposed(known)
    for lock in (folder / DEFAULT_NAME for folder in folders):
        searched.append(lock)
        if is_there(lock):
            return supposed(_locked(lock, server))
    return Known(server, tuple(searched))


def _upwards(folder: str | PathLike[str] | None) -> Iterator[Path]:
    """A folder and those above it, to the top of its project; none above it that everybody may write to.

    What a release says is told to models: in such a folder anybody could lay one.
    """
    if folder is None:
        return
    start = Path(folder).absolute()
    for place in [start, *start.parents][:_HIGHEST]:
        if place != start and _is_everybodys(place):
            return
        yield place
        if any((place / root).exists() for root in _ROOTS):
            return


def _is_everybodys(folder: Path) -> bool:
    try:
        return os.name == "posix" and bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False


def _looked(near: str | PathLike[str] | None) -> str:
    """Where it was looked, short enough to be read: each way upwards by its two ends."""
    ways: list[list[Path]] = []
    for way in (list(_upwards(near)), list(_upwards(Path.cwd()))):
        if way and not any(set(way) <= set(other) for other in ways):
            ways.append(way)
    told = [f"{way[0]}" if len(way) == 1 else f"{way[0]} up to {way[-1]}" for way in ways]
    return f"{', '.join(told)} ({PACKED}, {RELEASES}, {DEFAULT_NAME})"


def _locked(path: Path, server: str) -> Known:
    """A lock as the one release. Raises FusionError where it holds several servers, and none of that NAME."""
    from fusion_contracts.lockfile.disk import read_lock

    servers = read_lock(path).servers
    contract = meant(servers, server)
    if contract is None:
        names = ", ".join(map(printable, servers))
        message = f'{printable(str(path))} holds no server "{printable(server)}"'
        raise FusionError(message, f"name one of them: {names}" if names else "lock it first: fusion lock SOURCE")
    return Known(server, (path,), (Release(version_of(contract) or path.name, 1, contract),))


def _described(known: Known) -> str:
    where = f" ({printable(str(known.searched[-1]))})" if known.searched else ""
    if isinstance(known, Supposed):
        where = f"{where[:-1]}, of its only server, {printable(known.releases[-1].contract.name)})"
    if not known.releases:
        return f"its packed releases{where}"
    names = [printable(release.name) or "the given contract" for release in known.releases]
    if len(names) == 1:
        return f"{names[0]}{where}"
    return f"{names[0]}: {len(names)} releases, the last {names[-1]}{where}"
