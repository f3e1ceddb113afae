"""The points in a project's history between which its changelog compares: releases, or commits where there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.cli.manifests import manifests
from fusion_contracts.cli.past import lock_entries, path_at
from fusion_contracts.cli.place import from_the_top
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.tags import of_releases
from fusion_contracts.diff.version import Version
from fusion_contracts.errors import FusionError
from fusion_contracts.record import record
from fusion_contracts.sources.git import SHALLOW, is_shallow, resolve_revision
from fusion_contracts.sources.history import (
    Commit,
    Tag,
    commits_between,
    is_ancestor,
    renamed_in,
    tags_merged,
)

__all__ = ["UNRELEASED", "Point", "Span", "points"]

UNRELEASED = "Unreleased"


@record
class Span:
    """`A..B`: after `old` up to `new`, as people wrote them.

    `old` is None for all from the first commit on, "" for all since the last release.
    """

    old: str | None
    new: str

    @classmethod
    def parse(cls, text: str | None) -> Span:
        """From `A..B`, `A..`, `..B`, `A`. Raises FusionError."""
        if text is None:
            return cls("", "HEAD")
        old, dots, new = text.partition("..")
        if new.startswith("."):
            raise FusionError(f"{printable(text)} is no range", "write A..B, with two dots", stage="usage")
        if not dots and not old:
            raise FusionError("the range is empty", "write A..B", stage="usage")
        return cls(old or None, new or "HEAD")


@record
class Point:
    """A state of the lock: what to call what led to it, its day, its commit, and the blobs of the lock's files, if any.

    `path` is what the lock was called, from the top of the repository; `version` what the tag says.
    """

    title: str
    date: str
    commit: str
    blobs: Mapping[str, str]
    path: str
    tag: str | None = None
    version: str | None = None


def points(project: Project, span: Span) -> list[Point]:
    """The points of a span, oldest first; the first is where it starts, if it starts anywhere. Raises FusionError.

    Of a merge only the first parent is followed: what a branch did counts where it was merged.
    """
    root = project.root
    new = resolve_revision(span.new, root)
    tags = _tags(project, new)
    old = _start(span, tags, new, root)
    if old is None and is_shallow(root):
        raise FusionError("the history is not whole in this clone, and no release is in it", SHALLOW, stage="git")
    path = _path(project, new, span.new)
    if not tags:
        return list(_by_commit(project, path, old, new))
    chain = commits_between(old, new, root)
    start = [Commit(old, "")] if old is not None else []
    marked = [commit for commit in chain if commit.id in (tags.keys() | {new})]
    return _by_release(project, path, [*marked, *start], tags, UNRELEASED if span.new == "HEAD" else span.new)


def _start(span: Span, tags: dict[str, tuple[Tag, str]], new: str, root: Path) -> str | None:
    """The commit that a span starts from: the one that it names, or the last release before `new`; None for the first.

    The last release is the nearest on the way; where tags are on other ways alone, the highest. Raises FusionError.
    """
    if span.old is None:
        return None
    if span.old == "":
        near = (commit.id for commit in commits_between(None, new, root) if commit.id in tags)
        return next((commit for commit in (*near, *reversed(tags)) if commit != new), None)
    old = resolve_revision(span.old, root)
    if not is_ancestor(old, new, root):
        shown, named = printable(span.new), printable(span.old)
        step = f"compare the two: fusion diff git:{named} git:{shown}"
        raise FusionError(f"{shown} does not descend from {named}", step, stage="usage")
    return old


def _by_release(
    project: Project, path: str, commits: Sequence[Commit], tags: dict[str, tuple[Tag, str]], last: str
) -> list[Point]:
    """The points at these commits, which stand newest first; `last` is what one without a tag is called."""
    found: list[Point] = []
    for commit in commits:
        point = _point(project, path, commit, last)
        renamed = path_at(path, commit.id, found[-1].commit, project) if found and not point.blobs else None
        if renamed is not None:
            path = renamed
            point = _point(project, path, commit, last)
        if commit.id in tags:
            tag, version = tags[commit.id]
            point = replace(point, title=tag.name, tag=tag.name, version=version)
        found.append(point)
    return found[::-1]


def _path(project: Project, new: str, shown: str) -> str:
    """The lock's path from the top, as it was called at the end of the span. Raises FusionError where it is not there.

    A lock that is gone there, and was there before, has its name of today.
    """
    path = from_the_top(project)
    if is_ancestor(new, "HEAD", project.root):
        path = path_at(path, new, "HEAD", project) or path
    if not commits_between(None, new, project.root, paths=_paths(path)):
        message = f"the history of {printable(shown)} holds no {project.shown_lock}"
        raise FusionError(message, "commit the lock, or name it with --lockfile", stage="git")
    return path


def _point(project: Project, path: str, commit: Commit, title: str) -> Point:
    return Point(title, commit.date, commit.id, lock_entries(commit.id, path, project), path)


def _paths(path: str) -> list[str]:
    """Where a lock of this path may be: in one file, or in its folder."""
    from fusion_contracts.lockfile.file import FOLDER

    return [path, f"{path}{FOLDER}"]


def _by_commit(project: Project, path: str, old: str | None, new: str) -> Iterator[Point]:
    """The commits that changed the lock, oldest first, under whatever name; before them the start of the span."""
    found: list[Point] = []
    at = new
    while True:
        commits = commits_between(old, at, project.root, paths=_paths(path))
        found += [_point(project, path, commit, commit.date) for commit in commits]
        before = renamed_in(commits[-1].id, path, project.root) if commits else None
        if before is None:
            break
        path, at = before, f"{commits[-1].id}^1"
    if old is not None:
        yield _point(project, path, Commit(old, ""), "")
    yield from reversed(found)


def _tags(project: Project, new: str) -> dict[str, tuple[Tag, str]]:
    """The release tags that `new` descends from and what they say, by commit: of several the highest, which is last."""
    names = set(manifests(project.root).names)
    with suppress(FusionError):
        from fusion_contracts.lockfile.disk import read_lock

        names |= read_lock(project.lock_path).servers.keys()
    found = of_releases(tags_merged(new, project.root), names)
    return {tag.commit: (tag, text) for tag, text in sorted(found.items(), key=lambda one: _order(one[1]))}


def _order(text: str) -> tuple[bool, tuple[int, ...], str]:
    """Versions by their size, behind what is none."""
    try:
        version = Version.parse(text)
    except ValueError:
        return False, (), text
    return True, (*version.core, version.rank[0]), text
