"""A lock on disk, in one file or in its folder: read, and written in an order in which no moment loses anything.

A switch to the folder first makes the file say what is to be said, then puts the whole folder beside it, then removes
the file: while both are there, they say the same, unless that is more than a file may hold. In the folder files are
replaced before others are removed, and the folder goes with the last of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import MAX_BYTES, Content, folder_of, read_text, write_steps
from fusion_contracts.lockfile.files import LockFiles, part_names
from fusion_contracts.model import Lock

__all__ = ["present_files", "read_files", "read_lock", "write_files"]

_TRIES = 3  # to read files that do not change in the middle


def read_lock(path: Path) -> Lock:
    """The contracts in the lock at `path`. Raises FusionError, one sentence for each way in which that fails."""
    return read_files(path).open().lock


def read_files(path: Path, name: str | None = None) -> LockFiles:
    """The files of the lock at `path`, which errors in them call `name`. Raises FusionError where there is none."""
    found = present_files(path, name)
    if not found.there:
        read_text(path)  # raises what there is to say
    return found


def present_files(path: Path, name: str | None = None) -> LockFiles:
    """The files of the lock at `path`; none where there is no lock. Raises FusionError for what cannot be read.

    They belong together: what another run writes meanwhile is read again.
    """
    sys.audit("fusion_contracts.step", "reads the lock", path)
    for _ in range(_TRIES):
        before = _state(path)
        with suppress(FusionError):
            found = _read(path, name)
            if _state(path) == before:
                return found
    return _read(path, name)


def _state(path: Path) -> list[tuple[str, int, int, int]]:
    """What tells whether a file of the lock was written, taken away or added."""
    places = [path, folder_of(path)]
    with suppress(OSError):
        places += sorted(folder_of(path).iterdir())
    found = []
    for place in places:
        with suppress(OSError):
            one = place.stat()
            found.append((place.name, one.st_ino, one.st_size, one.st_mtime_ns))
    return found


def _read(path: Path, name: str | None) -> LockFiles:
    whole = read_text(path) if os.path.lexists(path) else None  # before the folder, which a switch makes first
    folder = folder_of(path)
    parts = {file: read_text(folder / file) for file in _part_names(folder)}
    return LockFiles(name or str(path), whole, parts)


def _part_names(folder: Path) -> list[str]:
    shown = printable(str(folder))
    try:
        return part_names((entry.name for entry in folder.iterdir()), shown)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        raise FusionError(f"cannot read {shown}", "check its permissions", stage="lock") from None


def write_files(
    path: Path,
    old: LockFiles,
    new: LockFiles,
    also: Mapping[Path, str] | None = None,
    check: Callable[[], None] | None = None,
) -> None:
    """Make the `old` files of the lock at `path` the `new` ones, and write other files with them; see `write_steps`.

    The others come first: settings that name a source without a lock are completed by the next run, and nothing that
    a lock alone names is ever started. Raises FusionError.
    """
    folder = folder_of(path)
    if folder.is_symlink() and not folder.resolve().is_relative_to(path.parent.resolve()):
        message = f"{printable(str(folder))} is a symbolic link that leaves its folder"
        raise FusionError(message, "put the folder itself there", stage="lock")
    write_steps([*(also or {}).items(), *_steps(path, old, new)], check, within=[path.parent, folder])


def _steps(path: Path, old: LockFiles, new: LockFiles) -> Iterator[tuple[Path, Content]]:
    """What changes, in order."""
    folder = folder_of(path)
    without = [(folder / file, None) for file in old.parts if file not in new.parts]
    if not new.parts:
        yield from without
        if new.whole != old.whole:
            yield path, new.whole
        yield folder, {}
    elif not old.parts:
        if old.whole is not None and len((text := new.joined).encode()) <= MAX_BYTES:  # else it could not be read
            yield path, text
        yield folder, new.parts
        if old.whole is not None:
            yield path, None
    else:
        if old.whole is not None:  # a switch that was cut off
            yield path, None
        yield from ((folder / file, text) for file, text in new.parts.items() if old.parts.get(file) != text)
        yield from without
