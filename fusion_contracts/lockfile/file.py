"""Locks on disk: read whole or not at all, written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.alone import alone
from fusion_contracts.lockfile.leftovers import beside, sweep

__all__ = [
    "DEFAULT_NAME", "FOLDER", "MAX_BYTES", "RELEASES", "Content", "folder_of", "is_device", "is_there", "lock_above",
    "placed", "read_text", "write_atomic", "write_steps", "write_together",
]  # fmt: skip

T = TypeVar("T")
Content: TypeAlias = str | Mapping[str, str] | None
"""What a path becomes: a file of this text; nothing; or a folder that is not there yet with these files.

A folder of no files is taken away, if it holds none.
"""

placed: list[Path] = []
"""The files that this process has written, so that a command that is interrupted can say so."""

DEFAULT_NAME = "fusion.lock"
FOLDER = ".d"
"""What the name of a lock's folder has behind the lock's own."""
RELEASES = ".fusion/releases"
"""Where a project keeps its releases, each a lock in a folder of its server."""
MAX_BYTES = 64 * 1024 * 1024
"""No honest lock is this large: a server of 200 tools takes some hundred kilobytes."""
_DEVICES = re.compile(r"con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]", re.IGNORECASE)


def folder_of(path: Path) -> Path:
    """The folder in which the lock of this path is kept when it is one file a server."""
    return Path(f"{path}{FOLDER}")


def is_device(name: str) -> bool:
    """Whether Windows keeps a name for a device, with any ending: no file and no folder can be called so there."""
    return _DEVICES.fullmatch(name.partition(".")[0].rstrip()) is not None


def is_there(path: Path) -> bool:
    """Whether there is a lock of this path, in one file or in its folder; hidden files in that are no lock."""
    if os.path.lexists(path):
        return True
    try:
        return any(not name.startswith(".") for name in os.listdir(folder_of(path)))  # noqa: PTH208 - names alone
    except PermissionError:  # which is told when it is read
        return True
    except (OSError, ValueError):  # none, or no name for one
        return False


def read_text(path: Path) -> str:
    """The text of a lock, line ends as they are.

    Raises FusionError: missing, a folder, not a plain file, unreadable, too large, not UTF-8.
    """
    where = printable(str(path))
    try:
        data = _read(path, where)
    except FileNotFoundError:
        if path.is_symlink():
            message = f"{where} is a symbolic link to a file that does not exist"
            raise FusionError(message, "make that file, or remove the link", stage="lock") from None
        above = lock_above(path)
        step = f"there is one further up: run it with -C {above}" if above else "run `fusion lock SOURCE` to write one"
        raise FusionError(f"no lock at {where}", step, stage="lock") from None
    except OSError as error:
        raise FusionError(f"cannot read {where}: {_reason(error)}", "check its permissions", stage="lock") from None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FusionError(
            f"{where} is not UTF-8: line {line} holds the byte 0x{data[error.start]:02x}",
            "restore it, or delete it and run `fusion lock`",
            stage="lock",
        ) from None


def lock_above(path: Path) -> str | None:
    """The nearest folder above that of `path` that holds a lock of its name, as a shell word; None for none."""
    folders = Path(os.path.abspath(path)).parent.parents  # noqa: PTH100 - without following links
    found = next((folder for folder in folders if is_there(folder / path.name)), None)
    try:
        return None if found is None else shell_word(os.path.relpath(found))
    except ValueError:  # another drive on Windows
        return shell_word(str(found))


def _read(path: Path, where: str) -> bytes:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        lock = where.removesuffix(FOLDER)
        step = f"name the file, such as {where}/{DEFAULT_NAME}" if lock == where else f"name the lock: {lock}"
        raise FusionError(f"{where} is a folder, not a lock", step, stage="lock")
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
    in the same folder or below; one that leaves the folder is refused. What an earlier kill left there is removed.
    Raises FusionError when nothing was written.
    """
    write_together({path: text})


def write_together(texts: Mapping[Path, str], check: Callable[[], None] | None = None) -> None:
    """`write_atomic` for files that belong together: none takes its place before all of them lie beside theirs.

    `check` is called last before that, and may raise; what it finds holds until the files are there, as far as other
    runs of ours go that check as well. Raises FusionError, naming the file that cannot be written, when none was.
    """
    write_steps(list(texts.items()), check)


def write_steps(
    steps: Sequence[tuple[Path, Content]], check: Callable[[], None] | None = None, *, within: Iterable[Path] = ()
) -> None:
    """`write_together` with an order: each takes its place, or goes from it, after the one before.

    No other run of ours changes a file in the same folders, nor `within`. Raises FusionError.
    """
    sys.audit("fusion_contracts.step", "writes files")
    with ExitStack() as staged:
        for folder in staged.enter_context(alone([*within, *_folders(path for path, _ in steps)])):
            sweep(folder)
        ready = [_guarded(path, _prepared, content, staged) for path, content in steps]
        if check is not None:
            check()
        done = "nothing was changed"
        for (path, _), put in zip(steps, ready, strict=True):
            _guarded(path, put, done=done)
            done = "what was to be written before it is there"


def _folders(paths: Iterable[Path]) -> Iterator[Path]:
    """The folders in which these files are made: those they are named in, and those that links lead to."""
    for path in paths:
        yield path.parent
        with suppress(OSError, ValueError):  # which is said where it is written
            yield Path(os.path.realpath(path)).parent


def _guarded(path: Path, step: Callable[..., T], *arguments: Any, done: str = "nothing was changed") -> T:
    """One step of writing a file, its errors in words."""
    where = printable(str(path))
    next_step = "check the path and its permissions, then run again"
    try:
        return step(path, where, *arguments)
    except OSError as error:
        reason = _reason(error)
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            next_step = "make room, then run again"
    except ValueError as error:  # a name with a zero character, a text with half a character
        reason = "it holds what UTF-8 cannot" if isinstance(error, UnicodeError) else "it has no name for a file"
    raise FusionError(f"cannot write {where}: {reason}; {done}", next_step, stage="lock")


def _prepared(path: Path, where: str, content: Content, staged: ExitStack) -> Callable[[Path, str], None]:
    """All that can go wrong, done; what is returned puts the content into its place."""
    if content is None:
        return lambda path, _where: path.unlink(missing_ok=True)
    if isinstance(content, str):
        temporary, target = _stage(path, where, content, staged)
        return lambda path, _where: _put(path, temporary, target)
    if not content:
        return lambda path, _where: _take_away(path)
    folder = _stage_folder(path, where, content, staged)
    return lambda path, _where: _put_folder(path, folder)


def _target(path: Path, where: str) -> Path:
    """The file to replace. Guards against a link out of the folder, a folder, a device, a read-only file."""
    target = Path(os.path.realpath(path))
    if path.is_symlink() and not target.is_relative_to(os.path.realpath(path.parent)):
        raise FusionError(
            f"{where} is a symbolic link that leaves its folder",
            "put the file itself there, or name its real path",
            stage="lock",
        )
    if target.exists() and not target.is_file():
        step = f"name the file, such as {where}/{DEFAULT_NAME}" if target.is_dir() else "name a plain file"
        raise FusionError(f"{where} is not a file", step, stage="lock")
    if target.exists() and not os.access(target, os.W_OK):
        raise FusionError(f"{where} is read-only", "make it writable, then run again", stage="lock")
    return target


def _stage(path: Path, where: str, text: str, staged: ExitStack) -> tuple[Path, Path]:
    """Write the text beside its target, where it stays until `staged` ends; return both paths."""
    data, target = text.encode(), _target(path, where)
    temporary = beside(target)
    descriptor = os.open(temporary, _NEW, 0o666)
    staged.callback(_remove, temporary)  # also when interrupted: no litter
    _fill(descriptor, data)
    with suppress(FileNotFoundError):
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    return temporary, target


def _stage_folder(path: Path, where: str, texts: Mapping[str, str], staged: ExitStack) -> Path:
    """Write a folder with these files beside where it is to be."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_dir()):
        raise FusionError(f"{where} is not a folder", "remove it, then run again", stage="lock")
    temporary = beside(path)
    temporary.mkdir()
    staged.callback(shutil.rmtree, temporary, ignore_errors=True)
    for name, text in texts.items():
        _fill(os.open(temporary / name, _NEW, 0o666), text.encode())
    _settle(temporary)
    return temporary


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def _fill(descriptor: int, data: bytes) -> None:
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _put(path: Path, temporary: Path, target: Path) -> None:
    temporary.replace(target)
    placed.append(path)
    _settle(target.parent)


def _put_folder(path: Path, temporary: Path) -> None:
    if path.is_dir():  # it holds nothing, or what the system keeps in every folder that it shows
        for entry in path.iterdir():
            entry.replace(temporary / entry.name)
        path.rmdir()
    temporary.rename(path)
    placed.append(path)
    _settle(path.parent)


def _take_away(folder: Path) -> None:
    with suppress(OSError):  # it is not there, or something else lies in it
        folder.rmdir()


def _remove(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


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
    errno.EFBIG: "no file may be so large here",
    errno.ENOENT: "its folder does not exist",
    errno.ENOTDIR: "a part of its path is not a folder",
    errno.ELOOP: "its symbolic links run in a circle",
    errno.ENAMETOOLONG: "the name is too long",
}


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or (error.strerror or "the system refused").lower()
