"""The files of a lock at a git revision, and where it was before it was moved."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import DEFAULT_NAME, FOLDER, RELEASES, is_there
from fusion_contracts.sources.git import prefix, renamed_from, resolve_revision, run_git, show
from fusion_contracts.sources.history import contents, entries
from fusion_contracts.sources.lock import files_in

if TYPE_CHECKING:
    from fusion_contracts.lockfile.files import LockFiles

__all__ = ["files_at", "former_path", "is_kept", "lock_of"]


def files_at(revision: str, path: str, cwd: Path, at: str, name: str | None = None) -> LockFiles:
    """The files that the lock at `path`, relative to `cwd`, had at a revision; none where it was not there.

    `name` and `at` say for people what it is called, and at which revision. Raises FusionError as `git.show`.
    """
    whole = show(revision, path, cwd)  # also says what is wrong with the path
    top = _from_the_top(path, cwd)
    found = contents(resolve_revision(revision, cwd), cwd, f"{top}{FOLDER}")
    return files_in(found if whole is None else {**found, top: whole}, top, at, name or path)


def lock_of(file: str) -> str:
    """The path of the lock that a file is, or is a part of.

    A `fusion.lock` is one in any folder, such as `conf.d`, but in that of a lock of this name: there it is a part.
    """
    folder, name = posixpath.split(file)
    end = f"{DEFAULT_NAME}{FOLDER}" if name == DEFAULT_NAME else FOLDER
    return folder.removesuffix(FOLDER) if folder.endswith(end) else file


def is_kept(file: str) -> bool:
    """Whether a file is of a kept release, which is a lock as well, and never the project's."""
    return f"/{RELEASES}/" in f"/{file}"


def former_path(commit: str, path: str, cwd: Path, servers: Collection[str]) -> str | None:
    """The path, relative to `cwd`, that a lock which is new since a commit had there; None where it is new altogether.

    That is what git calls a rename; or, where one file became many or many one, the lock that is no more and held most
    of these servers. Paths are relative to `cwd`.
    """
    top = _from_the_top(path, cwd)
    if entries(commit, cwd, top, f"{top}{FOLDER}"):
        return None
    before = renamed_from(commit, path, cwd)
    if before is not None:
        return before
    shared: dict[str, int] = {}
    for old, found in _gone(commit, path, cwd).items():
        with suppress(FusionError):  # what cannot be read is no lock
            shared[old] = len(files_in(found, old, "").open().lock.servers.keys() & set(servers))
    best = max(sorted(shared), key=lambda old: shared[old], default=None)
    return None if best is None or not shared[best] else posixpath.relpath(best, prefix(cwd) or ".")


def _gone(commit: str, path: str, cwd: Path) -> Mapping[str, Mapping[str, bytes]]:
    """The files of each lock of a commit that is there no more, by its path from the top."""
    end = PurePosixPath(path).suffix
    like = [f":(top,glob)**/*{end}", f":(top,glob)**/*{end}{FOLDER}/*"]
    status, out, _ = run_git(cwd, "diff", "--name-only", "-z", "--no-renames", "--diff-filter=D", commit, "--", *like)
    files = out.decode(errors="surrogateescape").split("\0") if status == 0 else []
    above = prefix(cwd)
    gone: dict[str, list[str]] = {}
    for file in filter(None, files):
        lock = lock_of(file)
        if not is_kept(file) and not is_there(cwd / posixpath.relpath(lock, above or ".")):
            gone.setdefault(lock, []).append(file)
    return {lock: contents(commit, cwd, *lock_files) for lock, lock_files in gone.items()}


def _from_the_top(path: str, cwd: Path) -> str:
    return posixpath.normpath(prefix(cwd) + Path(os.path.relpath(cwd / path, cwd)).as_posix())
