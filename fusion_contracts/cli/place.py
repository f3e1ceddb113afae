"""Where a project's lock stands in its repository, as formats for code hosts name it."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from fusion_contracts.errors import FusionError

__all__ = ["from_the_top"]


def from_the_top(root: Path, file: Path) -> str:
    """A file's path from the top of the repository of `root`, with forward slashes; from `root` where there is none."""
    from fusion_contracts.sources.git import prefix

    try:
        above = prefix(root)
    except FusionError:
        above = ""
    inside = Path(os.path.relpath(file, root)).as_posix()
    return posixpath.normpath(posixpath.join(above, inside))
