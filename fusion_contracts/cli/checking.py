"""What `fusion check` asks of a lock, and how it ends: intact, fresh, compatible, one exit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import printable
from fusion_contracts.cli.answers import answers
from fusion_contracts.cli.base import short_revision
from fusion_contracts.cli.ending import ending
from fusion_contracts.cli.output import FOUND, REFUSED, Writer
from fusion_contracts.cli.project import Judging, Project, chosen, no_server, selected
from fusion_contracts.diff import Finding, Report, Side, failing, lowest
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.counts import count

if TYPE_CHECKING:
    from fusion_contracts.cli.against import Basis
    from fusion_contracts.cli.bumping import Bumps
    from fusion_contracts.cli.fresh import Freshness, Stale
    from fusion_contracts.cli.refresh import Effort
    from fusion_contracts.cli.wanted import Access
    from fusion_contracts.lockfile.files import LockFiles

__all__ = ["Asked", "Outcome", "check_lock", "finish", "run"]


@record
class Asked:
    """What the command line asks of every lock it checks. `local`: start only servers of this repository.

    `effort` and `access` say how servers are asked; None where none is, or nothing is said of it.
    """

    base: str | None = None
    servers: tuple[str, ...] = ()
    world: str | None = None
    fail_on: str | None = None
    offline: bool = False
    local: bool = False
    against: str = "base"
    expect_bump: bool = False
    next_version: str | None = None
    effort: Effort | None = None
    access: Access | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What names the same comparison on the command line of another command: of releases, those at the base."""
        words = [] if self.against == "base" else ["--against", self.against]
        words += [] if self.base is None else ["--base", short_revision(self.base)]
        return tuple(words)


@record
class Outcome:
    """The three answers: `fresh` is None offline, `report` compares base and lock.

    `first`: no lock was at the base; `gone`: there was one, and it is no more. `unlearned` are servers without a
    release, where releases are compared with; `bumps` says how far versions moved, where that was asked. `elsewhere`
    are servers that were not asked because they are not part of the repository; `weighed` are settings that judge the
    change, and were changed in it.
    """

    project: Project
    judging: Judging
    files: LockFiles
    lock: Lock
    before: Lock
    edited: tuple[Problem, ...]
    fresh: Freshness | None
    report: Report
    first: bool
    unknown_base: Problem | None
    gone: bool = False
    unlearned: tuple[str, ...] = ()
    bumps: Bumps | None = None
    elsewhere: frozenset[str] = frozenset()
    weighed: Sequence[str] = ()

    @property
    def stale(self) -> list[Stale]:
        """The servers that are not as locked."""
        return self.fresh.stale if self.fresh else []

    @property
    def unchecked(self) -> list[Problem]:
        """What could not be checked."""
        base = [self.unknown_base] if self.unknown_base else []
        bumps = self.bumps.problems if self.bumps else ()
        return [*(self.fresh.problems if self.fresh else ()), *base, *bumps]

    @property
    def empty(self) -> bool:
        """Whether nothing that was asked for is, was or should be in this lock."""
        return not (self.lock.servers or self.before.servers or self.whole.errors)

    @property
    def whole(self) -> Report:
        """The report with everything that is wrong beside the findings."""
        errors = (*self.edited, *(stale.problem for stale in self.stale), *self.unchecked)
        return replace(self.report, errors=errors)

    @property
    def code(self) -> int:
        """The exit code that this lock alone asks for."""
        return self.judging.code(self.whole, stale=bool(self.edited or self.stale or self.unmoved))

    @property
    def unmoved(self) -> list[Finding]:
        """Versions that moved too little, which fail at every `fail_on`: it was asked for by itself."""
        return [one for one in failing(self.report) if one.rule == "version-bump-missing"]

    @property
    def failing(self) -> set[str]:
        """The fingerprints of the findings that fail the run."""
        return {one.fingerprint for one in (*self.judging.failing(self.report), *self.unmoved)}

    def faults(self, shown: str) -> list[str]:
        """What fails beside findings; `shown` is what the lock is called."""
        faults = [f"{shown} was edited by hand or merged badly"] if self.edited else []
        faults += [f"{shown} is stale"] if self.stale else []
        return [*faults, f"the version did not move enough for {shown}"] if self.unmoved else faults


def run(project: Project, asked: Asked, writer: Writer) -> int:
    """Ask all three, report, return the exit code.

    Raises FusionError where there is no lock to check, or none of its servers is, was or should be there.
    """
    outcome = check_lock(project, asked)
    if outcome.empty:
        raise no_server(project)
    return finish(outcome.whole, {None: outcome}, writer, asked)


def finish(
    whole: Report,
    outcomes: Mapping[str | None, Outcome],
    writer: Writer,
    asked: Asked,
    failed: Sequence[Problem] = (),
) -> int:
    """Write the report on one lock or several, say how it ends, and return the exit code.

    `outcomes` are by the `lockfile` of their findings in `whole`; `failed` are locks that could not be checked at all.
    """
    codes = {outcome.code for outcome in outcomes.values()} | ({REFUSED} if failed else set())
    code = FOUND if FOUND in codes else max(codes, default=0)
    worst = [one for one in outcomes.values() if one.judging.failing(one.report)]
    limit = _limit([one.judging.said(one.report) for one in worst or outcomes.values()], found=bool(worst))
    said = ending(
        code,
        limit,
        found=bool(worst),
        whence=next((one.judging.whence(one.report) for one in worst if one.judging.said(one.report) == limit), ""),
        faults=[fault for place, outcome in outcomes.items() for fault in outcome.faults(_called(outcome, place))],
        unchecked=[*(one for place, outcome in outcomes.items() for one in _unchecked(outcome, place)), *failed],
    )
    compared = {place: _compared(outcome, place, writer) for place, outcome in outcomes.items()}
    again = _again(asked, outcomes.values())
    writer.report(whole, Context("fusion check", compared, code, said, again=again, servers=asked.servers))
    writer.line(said)
    return code


def _limit(said: Sequence[str], *, found: bool) -> str:
    """The `fail_on` for the last line on several locks: the lowest of what fails; else the one of all, or `own`."""
    if found:
        return lowest(said)
    return said[0] if len(set(said)) == 1 else "own" if said else "breaking"


def _unchecked(outcome: Outcome, place: str | None) -> Iterator[Problem]:
    """What could not be checked; servers of one name in two locks are two."""
    for problem in outcome.unchecked:
        named = place is not None and problem.server is not None
        yield replace(problem, server=f"{place}: {problem.server}") if named else problem


def _again(asked: Asked, outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """What names the comparison elsewhere too, where no CI's variables, and no hook of pre-commit, say the base."""
    from fusion_contracts.sources.git import of_environment

    chosen = asked.base or any(outcome.project.config.base for outcome in outcomes)
    return asked.words if chosen else replace(asked, base=of_environment(os.environ)).words


def _called(outcome: Outcome, place: str | None) -> str:
    return outcome.project.shown_lock if place is None else printable(place)


def _compared(outcome: Outcome, place: str | None, writer: Writer) -> Compared:
    """What formats show of one lock."""
    project = outcome.project
    return Compared(
        old=outcome.before,
        new=outcome.lock,
        title=f"{_called(outcome, place)}, {count(len(outcome.lock.servers), 'server')}",
        answers=answers(outcome),
        versions=_versions(outcome),
        moved=outcome.bumps.moved if outcome.bumps else None,
        failing=outcome.failing,
        options=(*project.words, *outcome.judging.words),
        **(_where(project, outcome.files) if writer.machine else {}),
    )


def _where(project: Project, files: LockFiles) -> dict[str, Any]:
    from fusion_contracts.cli.place import shown_in

    return shown_in(project, files, project.lock_path)


def _versions(outcome: Outcome) -> dict[str, str]:
    """The version from which each server's next one is counted, where git knows it and no answer says it already."""
    base = outcome.report.base
    if base.revision is None or not outcome.report.findings or outcome.bumps is not None:
        return {}
    from fusion_contracts.cli.against import Basis
    from fusion_contracts.cli.origin import versions_before

    try:
        return versions_before(outcome.project, Basis(base, outcome.before, outcome.lock))
    except FusionError:  # then the report goes without that line
        return {}


def check_lock(project: Project, asked: Asked, *, among: bool = False) -> Outcome:
    """Ask all three of a project's lock. Raises FusionError where there is no lock to check.

    It is one `among` several, or has to hold a server that is asked for.
    """
    from fusion_contracts.cli.against import Basis, basis
    from fusion_contracts.cli.weighing import changed_settings
    from fusion_contracts.lockfile.disk import read_files
    from fusion_contracts.lockfile.verify import damage

    judging = Judging.of(project, asked.world, asked.fail_on)
    if asked.servers:
        from fusion_contracts.cli.roster import expanded  # reads client configurations

        asked = replace(asked, servers=expanded(project, asked.servers))
    files = read_files(project.lock_path, project.lockfile)
    opened = files.open()
    lock = chosen(opened.lock, asked.servers) if among else selected(opened.lock, asked.servers, where=project.lockfile)
    names = {printable(name) for name in lock.servers}
    edited = tuple(problem for problem in damage(opened) if problem.server in names)
    fresh, left_out = (None, frozenset()) if asked.offline else _asked(project, lock, asked, judging)
    unknown: Problem | None = None
    try:
        base = basis(project, lock, asked.against, asked.base, asked.servers)
    except FusionError as error:
        base, unknown = Basis(Side("unknown", "git"), Lock(), Lock()), error.problem
    first = base.before is None
    report = base.report(project, judging)
    bumps = None
    if asked.expect_bump and not unknown:
        bumps = _bumps(project, judging, lock, base, asked)
        report = judging.settle(replace(report, findings=(*report.findings, *bumps.findings)))
    if judging.waivers and not (first or unknown or asked.servers or (fresh is not None and fresh.stale)):
        from fusion_contracts.cli.waived import since_base

        report = since_base(report, project, judging)
    return Outcome(
        project, judging, files, lock, base.before or Lock(), edited, fresh, report, first, unknown,
        unlearned=base.without, bumps=bumps, elsewhere=left_out,
        weighed=changed_settings(project, report.base.revision),
    )  # fmt: skip


def _asked(
    project: Project, lock: Lock, asked: Asked, judging: Judging
) -> tuple[Freshness | None, frozenset[str]]:
    """What the servers list now, and which of them were not asked."""
    from fusion_contracts.cli.asking import ask, elsewhere

    left_out: frozenset[str] = elsewhere(project, lock) if asked.local else frozenset()
    return ask(project, lock, asked, left_out, judging), left_out


def _bumps(project: Project, judging: Judging, lock: Lock, base: Basis, asked: Asked) -> Bumps:
    from fusion_contracts.cli.bumping import Wish, expected

    return expected(project, judging, lock, base, Wish(asked.next_version, asked.against, asked.servers))
