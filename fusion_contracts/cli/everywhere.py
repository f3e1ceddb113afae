"""`fusion check --all`: every lock that git tracks below a folder, in one report that ends once."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.cli.against import basis
from fusion_contracts.cli.base import base_commit, path_before
from fusion_contracts.cli.checking import Asked, Outcome, check_lock, finish
from fusion_contracts.cli.output import Writer
from fusion_contracts.cli.project import Judging, Project, open_project, root_of
from fusion_contracts.config import FILES, Config, locate
from fusion_contracts.diff import Report, Side
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.lockfile.file import DEFAULT_NAME, FOLDER, is_there
from fusion_contracts.lockfile.files import LockFiles
from fusion_contracts.model import Lock
from fusion_contracts.report.counts import count
from fusion_contracts.sources.git import tracked
from fusion_contracts.sources.lock_at import is_kept, lock_of

__all__ = ["check_all", "spare_all"]

_LOCKS = (DEFAULT_NAME, f"{DEFAULT_NAME}{FOLDER}/*")


def check_all(folder: str, asked: Asked, writer: Writer) -> int:
    """Check every tracked lock below `folder`, each with the settings of its project.

    One that cannot be checked is an error in the report and hides no other; one that servers which are asked for do not
    concern is left out. Raises FusionError where there is none, or none with a server.
    """
    root = root_of(folder)
    outcomes: dict[str | None, Outcome] = {}
    failed: list[Problem] = []
    projects = _projects(root)
    for place, home in projects.items():
        try:
            project = open_project(str(root / home), posixpath.relpath(place, home))
            outcomes[place] = check_lock(replace(project, seen_from=home), asked, among=True)
        except FusionError as error:
            failed.append(_placed(error.problem, place))
    base = _base(root, asked)
    try:
        outcomes.update(_gone(root, projects, asked, base))
    except FusionError as error:
        failed.append(error.problem)
    if asked.servers:
        outcomes = _with_any(outcomes, asked, failed)
    elif not failed and all(outcome.empty for outcome in outcomes.values()):
        message = f"none of {count(len(outcomes), 'lock')} holds a server"
        raise FusionError(message, "lock one first: fusion lock SOURCE", stage="usage")
    return finish(_merged(outcomes, failed, base), outcomes, writer, asked, failed)


def spare_all(folder: str, writer: Writer) -> None:
    """Raise FusionError where a report would take the place of what the settings of a tracked lock's project name.

    This comes before the check: where that fails, a report for machines is written. What git cannot say it tells then.
    """
    root = Path(folder)
    if all(target.path is None for target in writer.targets):
        return
    try:
        homes = set(_projects(root).values())
    except FusionError:
        return
    for home in sorted(homes):
        writer.spare(root / home)


def _with_any(
    outcomes: Mapping[str | None, Outcome], asked: Asked, failed: Sequence[Problem]
) -> dict[str | None, Outcome]:
    """The locks that the servers of `-s` concern. Raises FusionError where none of those that could be read is one."""
    found = {place: outcome for place, outcome in outcomes.items() if not outcome.empty}
    if not (found or failed):
        shown = printable(" or ".join(asked.servers))
        locks = count(len(outcomes), "lock")
        raise FusionError(f"none of {locks} holds a server that matches {shown}", "check -s", stage="usage")
    return found


def _base(root: Path, asked: Asked) -> tuple[str, str] | None:
    """The commit of the base and what to call it, as the folder's own settings have it; None: every lock says why."""
    try:
        return base_commit(root, asked.base or _set(root, "base"))
    except FusionError:
        return None


def _gone(
    root: Path, projects: Mapping[str, str], asked: Asked, base: tuple[str, str] | None
) -> dict[str | None, Outcome]:
    """The locks that were at the base and are no more, under no other name either: their servers were removed."""
    if base is None:
        return {}
    commit, _ = base
    before = _locks(tracked(root, *_LOCKS, revision=commit))
    gone = before - projects.keys()
    gone -= {_before(root, place, home, commit) for place, home in projects.items()} if gone else set()
    return {place: _removed(_left(root, place), asked) for place in sorted(gone)}


def _before(root: Path, place: str, home: str, commit: str) -> str | None:
    """The path that a lock had at a commit, if it had another; relative to `root`, as `place` and `home` are."""
    project = Project(root / home, Config(), None, posixpath.relpath(place, home))
    before = path_before(project, commit)
    return None if before is None else posixpath.normpath(posixpath.join(home, before))


def _locks(files: Iterable[str]) -> set[str]:
    """The locks that these files are, or are parts of, without those that are kept as releases."""
    locks = {lock_of(file) for file in files if not is_kept(file)}
    return {lock for lock in locks if posixpath.basename(lock) == DEFAULT_NAME}


def _left(root: Path, place: str) -> Project:
    """The project of a lock that is no more: with the settings that stood beside it, while its folder is there."""
    home, name = posixpath.split(place)
    beside = root / home
    return open_project(str(beside), name) if beside.is_dir() else open_project(str(root), place)


def _removed(project: Project, asked: Asked) -> Outcome:
    """The answers for a lock that is no more."""
    judging = Judging.of(project, asked.world, asked.fail_on)
    base = basis(project, Lock(), asked.against, asked.base, asked.servers)
    return Outcome(
        project, judging, LockFiles(project.lockfile), Lock(), base.before or Lock(), (), None,
        base.report(project, judging), first=False, unknown_base=None, gone=True,
    )  # fmt: skip


def _projects(root: Path) -> dict[str, str]:
    """Each lock and the folder of its settings, relative to `root`: where settings name it, else its own."""
    files = [file for file in tracked(root, *_LOCKS, *FILES) if not is_kept(file)]
    found = {}
    for home in {posixpath.dirname(file) or "." for file in files if posixpath.basename(file) in FILES}:
        named = _set(root / home, "lockfile")
        named = None if named is None else Path(named).as_posix()
        if named is not None and is_there(root / home / named):
            found[posixpath.normpath(posixpath.join(home, named))] = home
    for lock in _locks(files):
        found.setdefault(lock, posixpath.dirname(lock) or ".")
    if not found:
        message = f"git tracks no {DEFAULT_NAME} in {printable(str(root.resolve()))}"
        raise FusionError(message, "write one with fusion lock SOURCE, and git add it", stage="usage")
    return dict(sorted(found.items()))


def _set(folder: Path, key: str) -> str | None:
    """A text in the settings of a folder; None where they cannot be read: that is told of a lock beside."""
    try:
        value = locate(folder)[1].get(key)
    except FusionError:
        return None
    return value if isinstance(value, str) and "\0" not in value else None


def _merged(
    outcomes: Mapping[str | None, Outcome], failed: Sequence[Problem], base: tuple[str, str] | None
) -> Report:
    """One report, in which findings name their lock."""
    wholes = {place: outcome.whole for place, outcome in outcomes.items()}
    return Report(
        _side({whole.base for whole in wholes.values()}, base),
        Side(count(len(outcomes) + len(failed), "lock"), "lock"),
        tuple(replace(one, lockfile=place) for place, whole in wholes.items() for one in whole.findings),
        (*(_placed(one, place) for place, whole in wholes.items() for one in whole.errors), *failed),
        tuple(replace(cost, lockfile=place) for place, whole in wholes.items() for cost in whole.costs),
    )


def _side(bases: set[Side], base: tuple[str, str] | None) -> Side:
    """What all locks together were compared with: one side, or several that one commit holds."""
    if len(bases) == 1:
        return bases.pop()
    counted = count(len(bases), "base")
    if base is None or {(side.kind, side.revision) for side in bases} != {("git", base[0])}:
        return Side(counted, "git")
    return Side(f"{count(len(bases), 'lock')} at {base[1]}", "git", base[0])


def _placed(problem: Problem, place: str | None) -> Problem:
    return replace(problem, message=f"{place}: {problem.message}")
