"""What `fusion check` asks of a lock, and how it says what it found: intact, fresh, compatible, one exit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.ending import ending
from fusion_contracts.cli.output import FOUND, REFUSED, Writer
from fusion_contracts.cli.project import Judging, Project, selected
from fusion_contracts.cli.refresh import Effort
from fusion_contracts.cli.roster import expanded
from fusion_contracts.cli.wanted import Access
from fusion_contracts.diff import Finding, Level, Report, Side, failing
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.counts import count, levels

if TYPE_CHECKING:
    from fusion_contracts.cli.against import Basis
    from fusion_contracts.cli.bumping import Bumps
    from fusion_contracts.cli.fresh import Freshness, Stale

__all__ = ["Asked", "Outcome", "check_lock", "finish", "run"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks of every lock it checks. `local`: start only servers of this repository."""

    base: str | None = None
    servers: tuple[str, ...] = ()
    world: str | None = None
    fail_on: str | None = None
    offline: bool = False
    local: bool = False
    against: str = "base"
    expect_bump: bool = False
    next_version: str | None = None
    effort: Effort = field(default_factory=Effort)
    access: Access = field(default_factory=Access)

    @property
    def words(self) -> tuple[str, ...]:
        """What names the same comparison on the command line of another command."""
        if self.against != "base":
            return ("--against", self.against)
        return () if self.base is None else ("--base", self.base)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The three answers: `fresh` is None offline, `report` compares base and lock.

    `first`: no lock was at the base; `gone`: there was one, and it is no more. `unlearned` are servers without a
    release, where releases are compared with; `bumps` says how far versions moved, where that was asked. `elsewhere`
    are servers that were not asked because they are not part of the repository.
    """

    project: Project
    judging: Judging
    text: str
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
    """Ask all three, report, return the exit code. Raises FusionError where there is no lock to check."""
    outcome = check_lock(project, asked)
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
    worst = next((one for one in outcomes.values() if one.judging.failing(one.report)), None)
    spoken = worst or next(iter(outcomes.values()), None)
    said = ending(
        code,
        spoken.judging.said(spoken.report) if spoken else "breaking",
        found=worst is not None,
        faults=[fault for place, outcome in outcomes.items() for fault in outcome.faults(_called(outcome, place))],
        unchecked=[*(problem for outcome in outcomes.values() for problem in outcome.unchecked), *failed],
    )
    compared = {place: _compared(outcome, place, writer) for place, outcome in outcomes.items()}
    writer.report(whole, Context("fusion check", compared, code, said, again=asked.words))
    writer.line(said)
    return code


def _called(outcome: Outcome, place: str | None) -> str:
    return outcome.project.shown_lock if place is None else printable(place)


def _compared(outcome: Outcome, place: str | None, writer: Writer) -> Compared:
    """What formats show of one lock."""
    from fusion_contracts.cli.place import from_the_top

    project = outcome.project
    answers = {
        "intact": tuple(_intact(outcome)),
        "fresh": tuple(_fresh(outcome)),
        "compatible": tuple(_compatible(outcome)),
    }
    if outcome.bumps is not None:
        answers["version"] = tuple(outcome.bumps.lines())
    return Compared(
        old=outcome.before,
        new=outcome.lock,
        path=from_the_top(project) if writer.machine else None,
        text=outcome.text,
        title=f"{_called(outcome, place)}, {count(len(outcome.lock.servers), 'server')}",
        answers=answers,
        versions=_versions(outcome),
        moved=outcome.bumps.moved if outcome.bumps else None,
        failing=outcome.failing,
        options=(*project.words, *outcome.judging.words),
    )


def _versions(outcome: Outcome) -> dict[str, str]:
    """The version from which each server's next one is counted, where that is asked of this run and git knows it."""
    base = outcome.report.base
    if base.revision is None or not outcome.report.findings:
        return {}
    from fusion_contracts.cli.against import Basis
    from fusion_contracts.cli.origin import versions_before

    try:
        return versions_before(outcome.project, Basis(base, outcome.before, outcome.lock))
    except FusionError:  # then the report goes without that line
        return {}


def check_lock(project: Project, asked: Asked) -> Outcome:
    """Ask all three of a project's lock. Raises FusionError where there is no lock to check."""
    from fusion_contracts.cli.against import Basis, basis
    from fusion_contracts.cli.asking import ask, elsewhere
    from fusion_contracts.lockfile.codec import open_lock
    from fusion_contracts.lockfile.file import read_text
    from fusion_contracts.lockfile.verify import damage

    judging = Judging.of(project, asked.world, asked.fail_on)
    asked = replace(asked, servers=expanded(project, asked.servers))
    text = read_text(project.lock_path)
    opened = open_lock(text, origin=project.lockfile)
    lock = selected(opened.lock, asked.servers, where=project.lockfile)
    names = {printable(name) for name in lock.servers}
    edited = tuple(problem for problem in damage(opened) if problem.server in names)
    left_out = elsewhere(project, lock) if asked.local and not asked.offline else frozenset()
    fresh = None if asked.offline else ask(project, lock, asked, left_out)
    head = Side(project.shown_lock, "lock")
    unknown: Problem | None = None
    try:
        base = basis(project, lock, asked.against, asked.base, asked.servers)
    except FusionError as error:
        base, unknown = Basis(Side("unknown", "git"), Lock(), Lock()), error.problem
    first = base.before is None
    before = base.before or Lock()
    report = judging.compare(before, Lock() if first else base.now, base=base.side, head=head)
    bumps = None
    if asked.expect_bump and not unknown:
        bumps = _bumps(project, judging, lock, base, asked)
        report = judging.settle(replace(report, findings=(*report.findings, *bumps.findings)))
    if judging.waivers and not (first or unknown or asked.servers or (fresh is not None and fresh.stale)):
        from fusion_contracts.cli.waived import since_base

        report = since_base(report, project, judging)
    return Outcome(
        project, judging, text, lock, before, edited, fresh, report, first, unknown,
        unlearned=base.without, bumps=bumps, elsewhere=left_out,
    )  # fmt: skip


def _bumps(project: Project, judging: Judging, lock: Lock, base: Basis, asked: Asked) -> Bumps:
    from fusion_contracts.cli.bumping import Wish, expected

    return expected(project, judging, lock, base, Wish(asked.next_version, asked.against, asked.servers))


# --- for people ------------------------------------------------------------------------------------------------------


def _intact(outcome: Outcome) -> Iterator[str]:
    yield "no" if outcome.edited else "removed" if outcome.gone else "yes"
    yield from (printable(str(problem)) for problem in outcome.edited)


def _fresh(outcome: Outcome) -> Iterator[str]:
    if outcome.fresh is None:
        why = "--local: no server is part of this repository" if outcome.elsewhere else "--offline"
        yield "nothing to ask" if outcome.gone else f"not asked ({why})"
        return
    fresh = outcome.fresh
    counted = {"unchanged": len(fresh.unchanged), "changed": len(fresh.stale), "not checked": len(fresh.unread)}
    counted["not reached, which is allowed"] = len(fresh.excused)
    counted["not asked (--local)"] = len(outcome.elsewhere)
    parts = [f"{count(number, 'server')} {word}" for word, number in counted.items() if number]
    yield ", ".join(parts) or "no servers"
    for stale in fresh.stale:
        yield from _stale(stale, outcome.lock, outcome.judging)
    for problem in fresh.excused:
        yield f"{printable(problem.server or 'all')}  not reached: {printable(problem.message)}"
    for problem in fresh.problems:
        yield f"{printable(problem.server or 'all')}  not checked: {printable(problem.message)}"
        yield f"    next: {printable(problem.next)}"


def _stale(stale: Stale, lock: Lock, judging: Judging) -> Iterator[str]:
    """A changed server: the worst of what changed, how much, and whether an unpinned package is why."""
    from fusion_contracts.cli.fresh import unpinned

    name, locked = printable(stale.name), lock.servers.get(stale.name)
    if stale.live is None or locked is None:
        yield f"{name}  changed: {printable(stale.reason)}"
        yield f"    next: {printable(stale.problem.next)}"
        return
    report = judging.compare(Lock({stale.name: locked}), Lock({stale.name: stale.live}))
    told = _counted(report)
    package = unpinned(stale.live.source.command) if stale.live.source else None
    version = locked.info.get("version")
    why = f" ({package} is unpinned; locked: {version})" if package else ""
    yield f"{name}  {report.verdict}  {told}{printable(why)}"
    if stale.moved:
        yield f"    {stale.moved}"
    yield f"    next: {stale.next}"


def _counted(report: Report) -> str:
    counts, waived = report.counts, sum(one.waived for one in report.findings)
    return levels(counts[Level.BREAKING], counts[Level.RISKY], counts[Level.SAFE], waived=waived)


def _compatible(outcome: Outcome) -> Iterator[str]:
    if outcome.unknown_base is not None:
        yield f"not checked: {printable(outcome.unknown_base.message)}"
        yield f"    next: {printable(outcome.unknown_base.next)}"
    elif outcome.first and outcome.unlearned:
        yield f"nothing released: nothing to compare ({outcome.report.base.label})"
    elif outcome.first:
        yield f"first lock: nothing to compare ({outcome.report.base.label} does not exist)"
    else:
        told = _counted(outcome.report)
        yield f"with {outcome.report.base.label}: {told}"
        for server in outcome.unlearned:
            yield f"{printable(server)}  no release is kept, so no agent has learned it: nothing to compare"
