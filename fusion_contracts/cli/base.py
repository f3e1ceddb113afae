"""The lock as it was at the base of a change, from git."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.cli.project import Project, chosen
from fusion_contracts.diff import Side
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock

__all__ = ["base_commit", "base_lock", "path_before", "short_revision"]

_SHORT = 7  # digits of a commit's id
_FULL = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1, SHA-256
_DIGITS = 12  # of a full id: enough for git to find the commit


def short_revision(revision: str) -> str:
    """A revision as a report names it: of a commit's full id its first digits, which git takes as well."""
    return revision[:_DIGITS] if _FULL.fullmatch(revision) else revision


def base_commit(root: Path, revision: str | None) -> tuple[str, str]:
    """The commit where HEAD left the base, and what to call it. Raises FusionError."""
    from fusion_contracts.sources.git import default_base, merge_base

    name = revision or default_base(os.environ, root)
    commit = merge_base(name, root)
    shown = printable(short_revision(name))
    return commit, shown if commit.startswith(name) else f"{shown} ({commit[:_SHORT]})"


def base_lock(project: Project, revision: str | None, globs: Sequence[str] = ()) -> tuple[Side, Lock | None]:
    """The lock where HEAD left the base, and what to call it; None where there was no lock yet.

    The base is `revision`, else the settings', else what the CI's variables name, else `origin/HEAD`. A lock that was
    renamed since is read under its old name: another name must not make a check pass. Before the first commit there is
    none. Raises FusionError: not a repository, an unknown revision, no common commit, a lock that cannot be read.
    """
    from fusion_contracts.sources.git import is_unborn
    from fusion_contracts.sources.lock_at import files_at

    revision = revision or project.config.base
    if revision in {None, "HEAD"} and is_unborn(project.root):
        return Side("HEAD", "git"), None
    commit, label = base_commit(project.root, revision)
    at, path = f" at {label}", project.lockfile
    files = files_at(commit, path, project.root, at, project.shown(path))
    if not files.there and (before := path_before(project, commit)) is not None:
        files = files_at(commit, before, project.root, at, project.shown(before))
    if not files.there:
        return Side(f"{project.shown_lock}{at}", "git", commit), None
    return Side(files.label(), "git", commit), chosen(files.open().lock, globs)


def path_before(project: Project, commit: str) -> str | None:
    """The path, from the project's folder, at which a commit has the lock that was moved to where it is now."""
    from fusion_contracts.lockfile.disk import present_files
    from fusion_contracts.sources.lock_at import former_path

    try:
        servers = present_files(project.lock_path).open().lock.servers.keys()
    except FusionError:  # which is told where it is read
        return None
    return former_path(commit, project.lockfile, project.root, servers)
