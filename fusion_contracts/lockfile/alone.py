"""Runs that change the same files take turns, where the system can."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["alone"]


@contextmanager
def alone(folders: Iterable[Path]) -> Iterator[None]:
    """Let no other run of ours change files in these folders meanwhile. Where a folder cannot be kept, nothing happens.

    The folder is kept, not the file, which is replaced; what a run that is killed keeps, the system lets go.
    """
    if sys.platform == "win32":
        yield
        return
    with ExitStack() as kept:
        for folder in sorted({os.path.realpath(folder) for folder in folders}):  # in one order: no two wait for another
            try:
                descriptor = os.open(folder, os.O_RDONLY)
                kept.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            except OSError:  # not readable, or a file system without it
                continue
        yield
