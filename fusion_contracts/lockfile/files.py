"""The files that a lock consists of: one; or, above ten servers, one a server in the folder beside where it would be.

    fusion.lock                  up to ten servers
    fusion.lock.d/github.lock    more: each a lock of one server

Which server a file holds is said by what is in it. Its name is only for people, and made from the server's once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from hashlib import sha256

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import OpenLock, encode, open_lock
from fusion_contracts.lockfile.file import FOLDER, is_device
from fusion_contracts.lockfile.reader import StoredDigests
from fusion_contracts.lockfile.splice import joined, splice, split
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

__all__ = ["MOST", "LockFiles", "file_name", "part_names", "renewed"]

MOST = 10
"""Servers that one file holds. A lock that is a folder stays one, however few servers it has later."""
_PART = ".lock"


@record
class LockFiles:
    """A lock as it is kept: the text of the one file (`whole`), or the texts of the folder's files by their names.

    Nothing in either: there is no lock. Something in both: a switch that was cut off, or a merge of one with the other.
    `name` is the lock's path for people; `at` says where it is, if not on disk: ` at main`.
    """

    name: str
    whole: str | None = None
    parts: Mapping[str, str] = field(default_factory=dict)
    at: str = ""

    @property
    def there(self) -> bool:
        """Whether there is a lock at all."""
        return self.whole is not None or bool(self.parts)

    @property
    def joined(self) -> str:
        """What the folder's files say in one text."""
        return joined(self.parts[file] for file in sorted(self.parts))

    @property
    def state(self) -> str | None:
        """A hash of all that is there, by which another state is told from this one; None where there is no lock."""
        texts = [("", self.whole or ""), *sorted(self.parts.items())]
        return sha256(repr(texts).encode()).hexdigest() if self.there else None

    def label(self, file: str | None = None) -> str:
        """What a file of the folder is called, or else the lock: the single file, where there is one."""
        if file is not None:
            return printable(f"{self.name}{FOLDER}/{file}{self.at}")
        return printable(f"{self.name}{FOLDER if self.parts and self.whole is None else ''}{self.at}")

    def open(self) -> OpenLock:
        """What they hold, nothing where there is no lock.

        Raises FusionError, naming the file: one that is no lock, or not of one server, two of one server, or a single
        file beside the folder that says something else.
        """
        if not self.parts:
            return OpenLock(Lock(), {}) if self.whole is None else open_lock(self.whole, origin=self.label())
        opened = self._joined()
        if self.whole is not None and not _says(self.whole, opened):
            folder = f"{printable(self.name)}{FOLDER}"
            message = f"{printable(self.name)} and {folder}{printable(self.at)} are both there and differ"
            step = f"remove the one that is out of date (above {MOST} servers, the file), then run fusion lock"
            raise FusionError(message, step, stage="lock")
        return opened

    def _joined(self) -> OpenLock:
        found: dict[str, tuple[str, ServerContract, StoredDigests]] = {}
        for file in sorted(self.parts):
            server, contract, stored = self._part(file)
            if server in found:
                message = f"{self.label(found[server][0])} and {self.label(file)} both hold {printable(server)}"
                raise FusionError(message, "remove one of the two, then run fusion lock", stage="lock")
            found[server] = file, contract, stored
        servers = {server: contract for server, (_, contract, _) in sorted(found.items())}
        return OpenLock(Lock(servers), {server: stored for server, (_, _, stored) in found.items()})

    def _part(self, file: str) -> tuple[str, ServerContract, StoredDigests]:
        opened = open_lock(self.parts[file], origin=self.label(file))
        if len(opened.lock.servers) != 1:
            held = printable(", ".join(opened.lock.servers)) or "no server"
            message = f"{self.label(file)} holds {held}, and a file in that folder holds one server"
            raise FusionError(message, "restore it, or remove it, then run fusion lock", stage="lock")
        ((server, contract),) = opened.lock.servers.items()
        return server, contract, opened.stored[server]

    def by_server(self) -> dict[str, str]:
        """The name of each server's file. Raises FusionError as `open`."""
        return {self._part(file)[0]: file for file in self.parts}


def _says(text: str, opened: OpenLock) -> bool:
    try:
        return open_lock(text, origin="") == opened
    except FusionError:  # markers of a conflict, say
        return False


# --- names -----------------------------------------------------------------------------------------------------------

_PLAIN = re.compile("[a-z0-9_][a-z0-9._-]{0,63}")
_READ, _DIGITS = 40, 12


def file_name(server: str) -> str:
    """The name of a new file for a server, whatever the server is called: safe on every system, different for each.

    A name that is safe as it is stays; of any other, as one with capitals, what is left is followed by `+` and a hash.
    """
    if _PLAIN.fullmatch(server) and not is_device(server):
        return server + _PART
    read = re.sub("[^a-z0-9_]+", "-", server.lower())[:_READ].strip("-")
    return f"{read}+{sha256(server.encode(errors='surrogatepass')).hexdigest()[:_DIGITS]}{_PART}"


def part_names(names: Iterable[str], folder: str) -> list[str]:
    """Those of a folder's names that are files of a lock, sorted; hidden ones, which systems leave there, are not.

    Raises FusionError for any other: what stands there unread would look as if it were locked.
    """
    found = sorted(name for name in names if not name.startswith("."))
    for name in found:
        if "/" in name or not name.endswith(_PART):
            message = f"{printable(f'{folder}/{name}')} is no file of this lock"
            raise FusionError(message, "move it out of that folder", stage="lock")
    return found


# --- a new state -----------------------------------------------------------------------------------------------------


def renewed(
    old: LockFiles, locked: Lock, contracts: Mapping[str, ServerContract], gone: Iterable[str] = ()
) -> LockFiles:
    """The files with these contracts and without the servers `gone`; other servers keep every byte.

    `locked` is what `old` holds. Raises FusionError where a file rewritten by hand cannot be changed in part.
    """
    dropped = set(gone)
    kept = {name: contract for name, contract in locked.servers.items() if name not in dropped}
    now = Lock({**kept, **contracts})
    if len(now.servers) > MOST or (old.parts and now.servers):
        return replace(old, whole=None, parts=_parts(old, now, contracts))
    if old.whole is None or contracts.keys() == kept.keys():
        return replace(old, whole=encode(Lock({name: contracts[name] for name in sorted(contracts)})), parts={})
    return replace(old, whole=splice(old.whole, now, {*contracts, *dropped}, origin=old.name), parts={})


def _parts(old: LockFiles, now: Lock, contracts: Mapping[str, ServerContract]) -> dict[str, str]:
    kept = now.servers.keys() - contracts.keys()
    files = old.by_server() if old.parts else {}
    if files:
        texts = {name: old.parts[files[name]] for name in kept}
    else:
        texts = split(old.whole or "", kept, origin=old.name) if kept else {}
    texts |= {name: encode(Lock({name: contract})) for name, contract in contracts.items()}
    found: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name in sorted(texts):
        file = files.get(name) or file_name(name)
        if taken.setdefault(file.casefold(), name) != name:  # a file that somebody renamed
            message = f"{printable(name)} and {printable(taken[file.casefold()])} would both be {old.label(file)}"
            raise FusionError(message, "rename the file that is there, then run it again", stage="lock")
        found[file] = texts[name]
    return found
