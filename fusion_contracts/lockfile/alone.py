"""Runs that change the same files take turns, where the system can."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError

if sys.platform != "win32":
    import fcntl

__all__ = ["alone"]

_held = threading.local()
"""The folders that this thread keeps: one that keeps a folder may write into it."""
_PATIENCE, _PAUSE = 30.0, 0.005  # seconds; a run keeps its folders for as long as it takes to write a few files


@contextmanager
def alone(folders: Iterable[Path]) -> Iterator[list[str]]:
    """Let no other run of ours change files in these folders meanwhile; those that are kept, by their real paths.

    The folder is kept, not the file, which is replaced; what a run that is killed keeps, the system lets go. One that
    cannot be kept is missing from the list: it is not readable, or a network's. Raises FusionError where another
    process does not let one go.
    """
    if sys.platform == "win32":
        yield []
        return
    real: set[str] = set()
    for folder in folders:
        with suppress(OSError, ValueError):  # no name for a folder, which is said where it is written to
            real.add(os.path.realpath(folder))
    before: frozenset[str] = getattr(_held, "paths", frozenset())
    with ExitStack() as held:
        kept = sorted(real & before)
        for path in sorted(real - before):  # in one order: no two wait for another
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            except OSError:
                continue
            held.callback(os.close, descriptor)
            if _keep(descriptor, path):
                kept.append(path)
        held.callback(setattr, _held, "paths", before)
        _held.paths = before.union(kept)
        yield kept


def _keep(descriptor: int, path: str) -> bool:
    """Wait for a folder; False where the file system cannot keep one. Raises FusionError when it takes too long.

    Not for ever: `flock FOLDER fusion lock` in a script would wait for itself.
    """
    if sys.platform == "win32":
        return False
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                message = f"another process keeps the folder {printable(path)}; nothing was changed"
                raise FusionError(message, "wait for it or end it, then run again", stage="lock") from None
            time.sleep(_PAUSE)
        except OSError:
            return False
        else:
            return True
