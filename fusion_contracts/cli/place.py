"""Where a project's lock stands in its repository, as formats for code hosts name it."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError

__all__ = ["from_the_top"]


def from_the_top(project: Project, file: Path | None = None) -> str:
    """The path of the lock, or of another file, from the top of its repository, with forward slashes.

    From the project's folder where that is in no repository.
    """
    from fusion_contracts.sources.git import prefix

    try:
        above = prefix(project.root)
    except FusionError:
        above = ""
    inside = Path(os.path.relpath(file or project.lock_path, project.root)).as_posix()
    return posixpath.normpath(posixpath.join(above, inside))
