"""A lockfile as a source: the contracts of every server in it, each with the source it was locked from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.sources.base import Options, Reading

if TYPE_CHECKING:
    from fusion_contracts.lockfile.files import LockFiles

__all__ = ["LockSource", "files_in", "reading_of"]


@record
class LockSource:
    """A lock on disk. `path` is relative to the folder that `Options.root` names, or absolute."""

    kind: ClassVar[str] = "lock"
    live: ClassVar[bool] = False
    record: ClassVar[None] = None

    path: Path

    @property
    def label(self) -> str:
        """For people."""
        return printable(str(self.path))

    def read(self, options: Options) -> Reading:
        """Read the lock. Raises FusionError where it is missing, broken or of a newer version."""
        from fusion_contracts.lockfile.disk import read_files

        return reading_of(read_files(options.root / self.path, str(self.path)).open().lock)


def files_in(found: Mapping[str, bytes], path: str, at: str, name: str | None = None) -> LockFiles:
    """The files of the lock at `path` among files of a revision, by their paths; `at` says of which, for people.

    Raises FusionError where one is not UTF-8, or the lock's folder holds another file.
    """
    from fusion_contracts.lockfile.file import FOLDER
    from fusion_contracts.lockfile.files import LockFiles, part_names

    folder = f"{path}{FOLDER}"
    inside = [one.removeprefix(f"{folder}/") for one in found if one.startswith(f"{folder}/")]
    files = LockFiles(path if name is None else name, at=at)
    whole = _decoded(found[path], files.label()) if path in found else None
    parts = {file: _decoded(found[f"{folder}/{file}"], files.label(file)) for file in part_names(inside, folder)}
    return LockFiles(files.name, whole, parts, at)


def _decoded(data: bytes, label: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FusionError(f"{label} is not UTF-8", "name another revision or file") from None


def reading_of(lock: Lock) -> Reading:
    """Every contract of a lock."""
    return Reading(contracts=tuple(lock.servers.values()))
