"""Kept releases: the generations of a contract that agents in the field have learned.

A release is a lock under `.fusion/releases/SERVER/NAME.lock`; a comment in its head carries name and sequence number,
so that file dates and copies do not matter. `fusion release --package` writes what these locks tell into the package
as one file of deltas, because wheels and images leave the folder behind.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.choosing import meant
from fusion_contracts.lockfile.file import RELEASES, read_text
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.runtime.deltas import Delta, deltas_between

__all__ = [
    "PACKED", "Kept", "Known", "Release", "deltas_since", "in_order", "kept", "known_deltas", "known_in",
    "pack", "read_releases", "release_head", "release_of", "unpack",
]  # fmt: skip

PACKED = "fusion_deltas.json"
"""The file in a package that holds the deltas of its releases."""

_VERSION = 1
_HEAD = re.compile(r"^# release (?P<name>.*), sequence (?P<sequence>\d{1,9})$", re.MULTILINE)
_HEAD_LENGTH = 2000
_NUMBERS = re.compile(r"(\d+)")
_log = logging.getLogger("fusion_contracts")


@dataclass(frozen=True, slots=True)
class Release:
    """One kept release of one server."""

    name: str
    sequence: int
    contract: ServerContract


@dataclass(frozen=True, slots=True)
class Kept:
    """The file of a release, of which only the head was understood."""

    name: str
    sequence: int
    path: Path
    text: str


def release_head(name: str, sequence: int) -> str:
    """The comment line that makes a lock the release of that name and number."""
    return f"# release {' '.join(printable(name).split())}, sequence {sequence}\n"


def kept(folder: Path) -> tuple[Kept, ...]:
    """The releases in the folder of one server, oldest first. Raises FusionError for a file that is no text."""
    return in_order({path: read_text(path) for path in folder.glob("*.lock")})


def in_order(texts: Mapping[Path, str]) -> tuple[Kept, ...]:
    """The releases of one server in the texts of its files, oldest first."""
    heads = []
    for path, text in sorted(texts.items()):
        head = _HEAD.search(text[:_HEAD_LENGTH])
        name = head["name"] if head else path.stem
        sequence = int(head["sequence"]) if head else 0
        heads.append((sequence, _natural(path.stem), name, path, text))
    return tuple(
        Kept(name, sequence or number, path, text)
        for number, (sequence, _, name, path, text) in enumerate(sorted(heads, key=lambda head: head[:2]))
    )


def read_releases(folder: Path, server: str, *, last: int = 10) -> tuple[Release, ...]:
    """The `last` releases of one server in its folder, oldest first. Raises FusionError on one that cannot be read."""
    return tuple(release_of(one, server) for one in kept(folder)[-last:])


def release_of(one: Kept, server: str) -> Release:
    """A kept release with its contract. Raises FusionError where its file cannot be read, or is of another server."""
    from fusion_contracts.lockfile.codec import decode  # reading a lock loads the TOML reader

    return Release(one.name, one.sequence, _contract(decode(one.text, origin=str(one.path)), server, one.path))


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """A key that puts 0.10 behind 0.9."""
    return tuple((int(part[:18]), "") if part.isdecimal() else (-1, part) for part in _NUMBERS.split(name) if part)


def _contract(lock: Lock, server: str, path: Path) -> ServerContract:
    found = meant(lock.servers, server)
    if found is not None:
        return found
    where, name = printable(str(path)), printable(server)
    raise FusionError(f'{where} holds no server "{name}"', "keep one server a release", stage="lock")


@dataclass(frozen=True, slots=True)
class Known:
    """What a place holds of older contracts of one server: kept releases, oldest first, or the text of packed changes.

    `searched` are the paths that were looked at, the last of them where it was found. False where nothing was.
    """

    server: str
    searched: tuple[Path, ...] = ()
    releases: tuple[Release, ...] = ()
    packed: Any = None

    def __bool__(self) -> bool:
        return bool(self.releases) or self.packed is not None

    def deltas(self, live: ServerContract) -> list[Delta]:
        """What changed until the live contract. Raises FusionError where a packed file is none of ours."""
        if self.packed is not None:
            return unpack(self.packed, live, origin=str(self.searched[-1]))
        return deltas_since(self.releases, live)


def known_deltas(folder_or_package: str | Path, live: ServerContract, *, last: int = 10) -> list[Delta]:
    """What changed since each kept release, from a folder of releases or the file in an installed package."""
    known = known_in(folder_or_package, live.name, last=last)
    if not known:
        paths = ", ".join(printable(str(path)) for path in dict.fromkeys(known.searched))
        name = printable(live.name)
        _log.warning("no release of %s found: agents are not told what changed. Searched: %s", name, paths)
    return known.deltas(live)


def known_in(folder_or_package: str | Path, server: str, *, last: int = 10) -> Known:
    """The `last` releases of one server in a folder, or what a package holds.

    Raises FusionError where one is there and cannot be read.
    """
    searched: list[Path] = []
    for folder in _folders(Path(folder_or_package), server):
        searched.append(folder)
        releases = read_releases(folder, server, last=last) if folder.is_dir() else ()
        if releases:
            return Known(server, tuple(searched), releases)
    for packed in _packed(folder_or_package):
        searched.append(packed)
        if packed.is_file():
            return Known(server, tuple(searched), packed=_text(packed))
        searched.append(packed.parent / RELEASES / server)
        releases = read_releases(searched[-1], server, last=last)
        if releases:
            return Known(server, tuple(searched), releases)
    return Known(server, tuple(searched))


def _folders(given: Path, server: str) -> Iterable[Path]:
    """Where the locks of one server can be: the folder itself, a folder of servers, a project."""
    yield given / RELEASES / server
    yield given / server
    yield given
    for parent in (given / RELEASES, given):
        servers = [path for path in parent.glob("*/") if any(path.glob("*.lock"))] if parent.is_dir() else []
        if len(servers) == 1:  # one server, whatever it is called now
            yield servers[0]


def _packed(package: str | Path) -> Iterable[Path]:
    folder = Path(package)
    yield folder / PACKED
    name = str(package)
    if not all(part.isidentifier() for part in name.split(".")):
        return
    from importlib.util import find_spec  # only for a package's name

    try:
        spec = find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return
    for place in (spec.submodule_search_locations or ()) if spec else ():
        yield Path(place) / PACKED


def deltas_since(releases: Sequence[Release], live: ServerContract) -> list[Delta]:
    """What changed since each of these releases, which stand oldest first."""
    return [
        delta
        for age, release in enumerate(releases)
        for delta in deltas_between(release.contract, live, release.name, age)
    ]


def pack(deltas: Iterable[Delta], live: ServerContract) -> str:
    """The file that goes into a package: deltas, and for each tool the contract to which they lead."""
    document = {
        "fusion_deltas": _VERSION,
        "server": live.name,
        "tools": _digests(live),
        "deltas": [asdict(delta) for delta in deltas],
    }
    return json.dumps(document, ensure_ascii=True, indent=1, sort_keys=True) + "\n"


def unpack(text: str, live: ServerContract, *, origin: str) -> list[Delta]:
    """The deltas of a packed file, less those of tools that are not as they were when it was written.

    Raises FusionError where the file is none of ours.
    """
    from fusion_contracts.canonical import loads

    again = "write it again with fusion release --package"
    document = loads(text, origin, next=again)
    known = document.get("fusion_deltas") if isinstance(document, dict) else None
    if known != _VERSION:
        raise FusionError(f"{printable(origin)} is no file of deltas that this release reads", again, stage="lock")
    digests, now = document.get("tools"), _digests(live)
    try:
        deltas = [_read(entry) for entry in document["deltas"]]
    except (TypeError, KeyError):
        raise FusionError(f"{printable(origin)} holds a delta that cannot be read", again, stage="lock") from None
    if not isinstance(digests, dict):
        raise FusionError(f"{printable(origin)} does not say to which tools its deltas lead", again, stage="lock")
    return [delta for delta in deltas if _still(delta, digests, now)]


def _still(delta: Delta, then: Mapping[str, str], now: Mapping[str, str]) -> bool:
    parts = delta.action.split(".")  # values and names may hold dots
    names = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    tool = next((name for name in names if name in then or name in now), None)
    return tool is None or then.get(tool) == now.get(tool)


def _read(entry: Any) -> Delta:
    """One delta of a file. Raises TypeError where a part of it is of another kind."""
    delta = Delta(**entry)
    texts = (delta.action, delta.field, delta.text, delta.since, delta.gone or "", delta.successor or "")
    known = delta.severity in {"BREAKING", "RISKY"} and delta.kind in {"structure", "hint", "prose"}
    if not known or type(delta.age) is not int or not all(isinstance(text, str) for text in texts):
        raise TypeError
    return delta


def _digests(contract: ServerContract) -> dict[str, str]:
    from fusion_contracts.lockfile.digest import digests

    return {name: digests(tool).interface for name, tool in contract.tools.items()}


def _text(path: Path) -> Any:
    return read_text(path)
