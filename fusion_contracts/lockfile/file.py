"""Locks on disk: read whole or not at all, written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import decode
from fusion_contracts.lockfile.verify import verify
from fusion_contracts.model import Lock

__all__ = ["DEFAULT_NAME", "MAX_BYTES", "read_lock", "read_text", "verify", "write_atomic"]

DEFAULT_NAME = "fusion.lock"
MAX_BYTES = 64 * 1024 * 1024
"""No honest lock is this large: a server of 200 tools takes some hundred kilobytes."""


def read_lock(path: Path) -> Lock:
    """The contracts in the lock at `path`. Raises FusionError, one sentence for each way in which that fails."""
    return decode(read_text(path), origin=str(path))


def read_text(path: Path) -> str:
    """The text of a lock, line ends as they are.

    Raises FusionError: missing, a folder, not a plain file, unreadable, too large, not UTF-8.
    """
    where = printable(str(path))
    try:
        data = _read(path, where)
    except FileNotFoundError:
        raise FusionError(f"no lock at {where}", "run `fusion lock SOURCE` to write one", stage="lock") from None
    except OSError as error:
        raise FusionError(f"cannot read {where}: {_reason(error)}", "check its permissions", stage="lock") from None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FusionError(
            f"{where} is not UTF-8: line {line} holds the byte 0x{data[error.start]:02x}",
            "restore it, or run `fusion lock` to write it again",
            stage="lock",
        ) from None


def _read(path: Path, where: str) -> bytes:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise FusionError(
            f"{where} is a folder, not a lock", f"name the file, such as {where}/{DEFAULT_NAME}", stage="lock"
        )
    if not stat.S_ISREG(mode):
        raise FusionError(f"{where} is not a file", "name a lock that is a plain file", stage="lock")
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FusionError(f"{where} is larger than {MAX_BYTES >> 20} MB", "check that it is a lock", stage="lock")
    return data


def write_atomic(path: Path, text: str) -> None:
    """Put `text` at `path`, as UTF-8 with the line ends it has: afterwards all of it is there, or the old file is.

    The text goes to a temporary file beside the target, which then takes its place; a kill at any moment leaves the old
    file (and at most that temporary file). Permission bits are kept. A symbolic link is followed when its target lies
    in the same folder or below; one that leaves the folder is refused. Raises FusionError when nothing was written.
    """
    where = printable(str(path))
    try:
        target = _target(path, where)
        _replace(target, text.encode())
    except OSError as error:
        next_step = "check the path and its permissions, then run again"
        raise FusionError(
            f"cannot write {where}: {_reason(error)}; nothing was changed", next_step, stage="lock"
        ) from None


def _target(path: Path, where: str) -> Path:
    """The file to replace. Guards against a link out of the folder, a folder, a device, a read-only file."""
    target = Path(os.path.realpath(path))
    if path.is_symlink() and not target.is_relative_to(os.path.realpath(path.parent)):
        raise FusionError(
            f"{where} is a symbolic link that leaves its folder",
            "put the lock itself there, or name its real path",
            stage="lock",
        )
    if target.exists() and not target.is_file():
        raise FusionError(f"{where} is not a file", f"name the file, such as {where}/{DEFAULT_NAME}", stage="lock")
    if target.exists() and not os.access(target, os.W_OK):
        raise FusionError(f"{where} is read-only", "make it writable, then run again", stage="lock")
    return target


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".fusion-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:  # also when interrupted: no litter
        with suppress(OSError):
            temporary.unlink()
        raise
    _settle(target.parent)


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_REASONS = {
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "no space is left",
    errno.EDQUOT: "no space is left to you",
    errno.ENOENT: "its folder does not exist",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.ELOOP: "its symbolic links run in a circle",
    errno.ENAMETOOLONG: "the name is too long",
}


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or (error.strerror or "the system refused").lower()
