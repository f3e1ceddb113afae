"""Temporary files beside what they are to replace, and those that a killed run left there.

    .fusion-4711-0a1b2c3d.tmp

Every run keeps a folder (`alone`) from before it makes the first such file there until the last has taken its place.
So whoever keeps the folder knows that nobody is at work on those that lie in it. Neither clocks are asked, which jump,
nor numbers of processes, which mean nothing in another container.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["beside", "sweep"]

_NAME = re.compile(r"\.fusion-[0-9]{1,10}-[0-9a-f]{8}\.tmp")


def beside(target: Path) -> Path:
    """A name for a temporary file beside `target` that no other has."""
    return target.with_name(f".fusion-{os.getpid()}-{os.urandom(4).hex()}.tmp")


def sweep(folder: str) -> None:
    """Remove what killed runs left in a folder that is kept by the caller. What cannot be removed stays."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - names alone
            if _NAME.fullmatch(name):
                with suppress(OSError):
                    _remove(Path(folder, name))


def _remove(path: Path) -> None:
    """Remove a file or a link; of folders only one that holds nothing but a lock's files: another is not ours."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        path.unlink()
    elif all(entry.name.endswith(".lock") or entry.name.startswith(".") for entry in path.iterdir()):
        shutil.rmtree(path)
