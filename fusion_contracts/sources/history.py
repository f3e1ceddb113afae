"""What git remembers of a project: its tags, the commits between two revisions, files at a revision, read in one go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import FOLDER
from fusion_contracts.record import record
from fusion_contracts.sources.git import SHALLOW, is_shallow, run_git

__all__ = [
    "Commit", "Tag", "blobs", "commits_between", "contents", "entries", "is_ancestor", "moved_from", "renamed_in",
    "tags_merged",
]  # fmt: skip


@record
class Tag:
    """A tag, and the id of the commit that it marks."""

    name: str
    commit: str


@record
class Commit:
    """A commit: its id, and the day it was made, where it was made."""

    id: str
    date: str


def tags_merged(revision: str, cwd: Path) -> list[Tag]:
    """The tags that a commit descends from, its own included, by name. Raises FusionError where git cannot tell."""
    form = "%(refname:strip=2)%00%(objectname)%00%(*objectname)"
    status, out, error = run_git(cwd, "for-each-ref", f"--format={form}", f"--merged={revision}", "refs/tags")
    if status != 0:
        raise FusionError(f"git cannot list the tags: {error}", SHALLOW, stage="git")
    rows = (line.split("\0") for line in out.decode(errors="replace").splitlines())
    return [Tag(name, peeled or commit) for name, commit, peeled in rows]


def commits_between(old: str | None, new: str, cwd: Path, *, paths: Sequence[str] = ()) -> list[Commit]:
    """The commits after `old` up to `new`, newest first, of a merge the first parent alone; from the first for None.

    `paths`, from the top of the repository, leaves those that changed them. Raises FusionError.
    """
    span = [new] if old is None else [new, f"^{old}"]
    only = [f":(top,literal){path}" for path in paths]
    status, out, error = run_git(cwd, "rev-list", "--first-parent", "--format=%H %cs", *span, "--", *only)
    if status != 0:
        raise FusionError(f"git cannot list the commits: {error}", SHALLOW, stage="git")
    lines = (line for line in out.decode().splitlines() if not line.startswith("commit "))
    return [Commit(*line.split(" ", 1)) for line in lines]


def is_ancestor(old: str, new: str, cwd: Path) -> bool:
    """Whether the history of `new` holds `old`. Raises FusionError in a clone that cannot know."""
    status, _, error = run_git(cwd, "merge-base", "--is-ancestor", old, new)
    if status not in {0, 1} or (status == 1 and is_shallow(cwd)):
        message = f"git cannot tell whether {printable(old[:7])} comes before {printable(new[:7])}"
        raise FusionError(f"{message}{': ' if error else ''}{error}", SHALLOW, stage="git")
    return status == 0


def entries(revision: str, cwd: Path, *paths: str) -> dict[str, str]:
    """The files of a commit at or below `paths`, by their paths, and their blobs; all from the top of the repository.

    Raises FusionError where git cannot tell.
    """
    arguments = ("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", revision, "--", *paths)
    status, out, error = run_git(cwd, *arguments)
    if status != 0:
        raise FusionError(f"git cannot look into {printable(revision[:7])}: {error}", SHALLOW, stage="git")
    found = {}
    for line in filter(None, out.decode(errors="surrogateescape").split("\0")):
        head, _, path = line.partition("\t")
        _, kind, blob = head.split()
        if kind == "blob":
            found[path] = blob
    return found


def blobs(ids: Iterable[str], cwd: Path) -> dict[str, bytes]:
    """The bytes of files by their ids. Raises FusionError where one is not in this clone."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    status, out, error = run_git(cwd, "cat-file", "--batch", given="".join(f"{one}\n" for one in wanted).encode())
    found: dict[str, bytes] = {}
    at = 0
    for one in wanted:
        end = out.find(b"\n", at)
        head = out[at:end].split()
        if status != 0 or end < 0 or head[1:2] != [b"blob"]:
            raise FusionError(f"git cannot read {one[:7]}: {error or 'it is not in this clone'}", SHALLOW, stage="git")
        size = int(head[2])
        found[one] = out[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


def contents(revision: str, cwd: Path, *paths: str) -> dict[str, bytes]:
    """The files of a commit at or below `paths`, by their paths, and their bytes. Raises FusionError as `entries`."""
    found = entries(revision, cwd, *paths)
    data = blobs(found.values(), cwd)
    return {path: data[blob] for path, blob in found.items()}


def renamed_in(commit: str, path: str, cwd: Path) -> str | None:
    """The path from which a commit renamed a lock to `path`; None where it did not. From the top, both.

    A lock that is a folder was renamed when a file of it was.
    """
    from fusion_contracts.sources.lock_at import lock_of

    arguments = ("diff-tree", "-r", "-z", "-M", "--name-status", "--diff-filter=R", f"{commit}^1", commit)
    status, out, _ = run_git(cwd, *arguments)
    fields = out.decode(errors="surrogateescape").split("\0")
    pairs = zip(fields[1::3], fields[2::3], strict=False)
    renamed = ((lock_of(old), lock_of(new)) for old, new in pairs) if status == 0 else ()
    return next((old for old, new in renamed if new == path != old), None)


def moved_from(path: str, old: str, new: str, cwd: Path) -> str | None:
    """The path that a lock of `new` had at `old`, where commits between the two renamed it; None where none did.

    Paths are from the top of the repository.
    """
    for commit in commits_between(old, new, cwd, paths=[path, f"{path}{FOLDER}"]):
        before = renamed_in(commit.id, path, cwd)
        if before is not None:
            return moved_from(before, old, f"{commit.id}^1", cwd) or before
    return None
