"""The lock of a project as it was at a commit, under the name that it had there."""

from __future__ import annotations

from collections.abc import Sequence

from fusion_contracts.cli.place import from_the_top
from fusion_contracts.cli.project import Project, chosen
from fusion_contracts.model import Lock

__all__ = ["lock_at", "lock_entries", "path_at"]


def path_at(path: str, commit: str, until: str, project: Project) -> str | None:
    """The path that a lock of `until` had at an earlier commit; None where it was not there. From the top, both."""
    from fusion_contracts.sources.history import moved_from

    if lock_entries(commit, path, project):
        return path
    before = moved_from(path, commit, until, project.root)
    return before if before is not None and lock_entries(commit, before, project) else None


def lock_entries(commit: str, path: str, project: Project) -> dict[str, str]:
    """The files of a lock at a commit, and their blobs; all from the top of the repository. None: no lock."""
    from fusion_contracts.lockfile.file import FOLDER
    from fusion_contracts.sources.history import entries

    return entries(commit, project.root, path, f"{path}{FOLDER}")


def lock_at(project: Project, commit: str, label: str, globs: Sequence[str] = ()) -> Lock | None:
    """The servers of the lock at a commit that HEAD descends from; None where there was none. Raises FusionError."""
    from fusion_contracts.lockfile.file import FOLDER
    from fusion_contracts.sources.history import contents
    from fusion_contracts.sources.lock import files_in

    path = path_at(from_the_top(project), commit, "HEAD", project)
    if path is None:
        return None
    files = contents(commit, project.root, path, f"{path}{FOLDER}")
    lock = files_in(files, path, f" at {label}").open().lock
    return chosen(lock, globs)
