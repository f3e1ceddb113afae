"""What servers are compared with: the lock and the settings as they are now, and which servers these name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.fresh import Freshness, vouched
from fusion_contracts.cli.judging import today
from fusion_contracts.cli.project import Judging, Project, matches, selected
from fusion_contracts.cli.refresh import Effort, Refreshed, take, task_of
from fusion_contracts.cli.roster import Roster, all_disabled, expanded, spread
from fusion_contracts.cli.verifying import paired
from fusion_contracts.cli.wanted import Access, Wanted
from fusion_contracts.diff import Finding, Report, Side
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.disk import read_files
from fusion_contracts.lockfile.file import folder_of
from fusion_contracts.lockfile.verify import damage
from fusion_contracts.model import Lock
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.sources.base import Reading
    from fusion_contracts.sources.unit import Task

__all__ = ["Basis", "Choice", "Judged", "Unit", "basis_of", "files_of"]


@record
class Choice:
    """What the command line asks to be watched, and how it is judged. `given` is the SOURCE that it names."""

    given: Wanted | None = None
    servers: tuple[str, ...] = ()
    access: Access = field(default_factory=Access)
    effort: Effort = field(default_factory=Effort)
    world: str | None = None
    fail_on: str | None = None


@record
class Unit:
    """One source to read: by its name, as a task, and which globs select among the servers that it gives."""

    name: str
    task: Task
    globs: tuple[str, ...]


@record
class Judged:
    """One server, read and compared: every finding, waived ones as well, and what of it could not be checked."""

    server: str
    report: Report | None
    problems: tuple[Problem, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the comparison found."""
        return self.report.findings if self.report else ()


@dataclass(slots=True)
class Basis:
    """The lock, the settings and the servers at one moment. `problems` are those of servers that are not read at all.

    `names` holds every server that the lock or the settings speak of; None where not all of them were looked at.
    """

    project: Project
    judging: Judging
    lock: Lock
    units: dict[str, Unit]
    problems: tuple[Problem, ...]
    edited: Mapping[str, Problem]
    allow: tuple[str, ...]
    names: frozenset[str] | None
    moved: Mapping[str, str]
    _digests: dict[str, str] = field(default_factory=dict)

    def digest(self, server: str) -> str:
        """What tells whether the server's part of the lock is another now; "" where it has none."""
        if server not in self._digests:
            contract = self.lock.servers.get(server)
            text = "" if contract is None else encode(Lock({server: contract}))
            self._digests[server] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""
        return self._digests[server]

    def judged(self, unit: Unit, reading: Reading) -> list[Judged]:
        """What a reading comes to, server by server."""
        found = Refreshed()
        take(found, reading, self.lock, unit.globs)
        problems: dict[str, list[Problem]] = {name: [] for name in found.contracts}
        for problem in found.problems:
            problems.setdefault(problem.server or unit.name, []).append(problem)
        return [self._judged(name, found, tuple(told)) for name, told in problems.items()]

    def _judged(self, name: str, found: Refreshed, problems: tuple[Problem, ...]) -> Judged:
        live, locked = found.contracts.get(name), self.lock.servers.get(name)
        if live is None:
            return Judged(name, None, problems)
        if locked is None:
            step = f"fusion lock -s {name} accepts it"
            return Judged(name, None, (*problems, Problem(name, "lock", "it is not in the lock", printable(step))))
        if name in self.edited:
            problems = (*problems, self.edited[name])
        sides = Side(self.project.shown_lock, "lock"), Side(name, "live")
        judging = replace(self.judging, on=today())  # waivers end while a watch runs
        report = judging.compare(Lock({name: locked}), Lock({name: live}), base=sides[0], head=sides[1])
        kept = tuple(one for one in report.findings if not one.about_waivers)  # of which a part of a lock knows nothing
        return Judged(name, replace(report, findings=kept), problems)

    def is_allowed_away(self, server: str) -> bool:
        """Whether a server may be away, and nobody wants to know."""
        return bool(self.allow) and matches(server, self.allow)


def basis_of(project: Project, choice: Choice) -> Basis:
    """Read the lock and the settings' servers. Raises FusionError where there is nothing to watch."""
    globs = expanded(project, choice.servers)
    opened = read_files(project.lock_path, project.lockfile).open()
    lock = selected(opened.lock, globs, where=project.lockfile)
    found = Freshness()
    if choice.given is None:
        roster = vouched(project, lock, found, globs, choice.effort, choice.access)
    else:
        one = choice.given if choice.given.source.kind == "config" else paired(choice.given, lock)
        roster = spread(project, one, globs, choice.access)
    unread = [stale.problem for stale in found.stale]
    problems = (*found.problems, *roster.problems, *unread)
    if not roster.wanted and not problems:
        raise _nothing(project, roster)
    whole = choice.given is None and not globs and not roster.blind
    return Basis(
        project, Judging.of(project, choice.world, choice.fail_on), lock, _units(project, roster, lock, globs),
        problems, {problem.server or "": problem for problem in damage(opened)}, choice.effort.allow,
        frozenset({*opened.lock.servers, *roster.names}) if whole else None, dict(found.moved),
    )  # fmt: skip


def _nothing(project: Project, roster: Roster) -> FusionError:
    if roster.disabled:
        return all_disabled(roster)
    message = f"there is nothing to watch: {project.shown_lock} holds no server"
    return FusionError(message, "lock one: fusion lock -- COMMAND", stage="usage")


def _units(project: Project, roster: Roster, lock: Lock, globs: Sequence[str]) -> dict[str, Unit]:
    found = {}
    for one in roster.wanted:
        task = task_of(project, one, lock, _silent, twice=False)
        name = task.options.name or one.source.label
        task = replace(task, options=replace(task.options, name=task.options.name, announced=True))
        found[name] = Unit(name, task, () if one.config else tuple(globs))
    return found


def _silent(text: str) -> None:
    """Say nothing of a reading: there are many, and what comes of each is posted."""


def files_of(basis: Basis) -> Callable[[], object]:
    """What gives something else as soon as a file was written that a basis is made of."""
    project = basis.project
    places: list[Path] = [project.lock_path, project.home.path]
    places += [project.root / entry.path for entry in project.config.sources.values() if entry.path is not None]
    folder = folder_of(project.lock_path)

    def look() -> object:
        parts = []
        with suppress(OSError):
            parts = sorted(folder.iterdir())
        return list(_stamps([*places, *parts]))

    return look


def _stamps(places: Iterable[Path]) -> Iterable[tuple[str, int, int, int]]:
    for place in places:
        try:
            one = os.stat(place)  # noqa: PTH116 - thousands of them, every few seconds
        except OSError:
            yield str(place), 0, 0, 0
        else:
            yield str(place), one.st_ino, one.st_size, one.st_mtime_ns
