"""The lock of a project as it was at a commit, under the name that it had there."""

from __future__ import annotations

from collections.abc import Sequence

from fusion_contracts.canonical import printable
from fusion_contracts.cli.place import from_the_top
from fusion_contracts.cli.project import Project, matches
from fusion_contracts.model import Lock

__all__ = ["lock_at", "path_at"]


def path_at(path: str, commit: str, until: str, project: Project) -> str | None:
    """The path that a file of `until` had at an earlier commit; None where it was not there. From the top, both."""
    from fusion_contracts.sources.history import entries, moved_from

    if path in entries(commit, project.root, path):
        return path
    before = moved_from(path, commit, until, project.root)
    return before if before is not None and before in entries(commit, project.root, before) else None


def lock_at(project: Project, commit: str, label: str, globs: Sequence[str] = ()) -> Lock | None:
    """The servers of the lock at a commit that HEAD descends from; None where there was none. Raises FusionError."""
    from fusion_contracts.sources.history import blobs, entries
    from fusion_contracts.sources.lock import decode_lock

    path = path_at(from_the_top(project), commit, "HEAD", project)
    if path is None:
        return None
    blob = entries(commit, project.root, path)[path]
    lock = decode_lock(blobs([blob], project.root)[blob], f"{printable(path)} at {label}")
    return Lock({name: contract for name, contract in lock.servers.items() if matches(name, globs)})
