"""Where a project's lock stands in its repository, as formats for code hosts name it."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError

if TYPE_CHECKING:
    from fusion_contracts.lockfile.files import LockFiles

__all__ = ["from_the_top", "shown_in"]


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


def shown_in(project: Project, files: LockFiles, path: Path) -> dict[str, Any]:
    """Where formats show findings: `path`, `text` and `parts` of `report.context.Compared`, for the lock at `path`."""
    from fusion_contracts.lockfile.file import folder_of

    if not files.parts:
        return {"path": from_the_top(project, path), "text": files.whole}
    folder = from_the_top(project, folder_of(path))
    parts = {server: (f"{folder}/{file}", files.parts[file]) for server, file in files.by_server().items()}
    return {"path": folder, "parts": parts}
