"""Where a project's lock stands in its repository, as formats for code hosts name it."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError

__all__ = ["from_the_top"]


def from_the_top(project: Project) -> str:
    """The lock's path from the top of its repository, with forward slashes; from the folder where there is none."""
    from fusion_contracts.sources.git import prefix

    try:
        above = prefix(project.root)
    except FusionError:
        above = ""
    inside = Path(os.path.relpath(project.lock_path, project.root)).as_posix()
    return posixpath.normpath(posixpath.join(above, inside))
