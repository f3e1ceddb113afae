"""A lockfile as a source: the contracts of every server in it, each with the source it was locked from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock
from fusion_contracts.sources.base import Options, Reading

__all__ = ["LockSource", "decode_lock", "reading_of"]


@dataclass(frozen=True, slots=True)
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
        from fusion_contracts.lockfile.file import read_text

        return reading_of(decode_lock(read_text(options.root / self.path), self.label))


def decode_lock(text: str | bytes, origin: str) -> Lock:
    """The lock in a text, or in the bytes of a file at a revision. Raises FusionError, naming `origin`."""
    from fusion_contracts.lockfile.codec import decode

    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            raise FusionError(f"{origin} is not UTF-8", "name another revision or file") from None
    return decode(text, origin=origin)


def reading_of(lock: Lock) -> Reading:
    """Every contract of a lock."""
    return Reading(contracts=tuple(lock.servers.values()))
