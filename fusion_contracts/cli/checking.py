"""What `fusion check` asks of a lock, and how it says what it found: intact, fresh, compatible, one exit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.ending import ending
from fusion_contracts.cli.output import Writer, tell
from fusion_contracts.cli.project import Judging, Project, selected
from fusion_contracts.diff import Level, Report, Side, exit_code, failing
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock
from fusion_contracts.report.counts import count, levels

if TYPE_CHECKING:
    from fusion_contracts.cli.fresh import Freshness, Stale

__all__ = ["run"]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The three answers: `fresh` is None offline, `report` compares base and lock, `first`: no lock was at the base."""

    lock: Lock
    edited: tuple[Problem, ...]
    fresh: Freshness | None
    report: Report
    first: bool
    unknown_base: Problem | None

    @property
    def stale(self) -> list[Stale]:
        return self.fresh.stale if self.fresh else []

    @property
    def unchecked(self) -> list[Problem]:
        """What could not be checked."""
        base = [self.unknown_base] if self.unknown_base else []
        return [*(self.fresh.problems if self.fresh else ()), *base]

    @property
    def whole(self) -> Report:
        """The report with everything that is wrong beside the findings."""
        errors = (*self.edited, *(stale.problem for stale in self.stale), *self.unchecked)
        return replace(self.report, errors=errors)


def run(  # noqa: PLR0913 - what to check, how to judge it, how to say it
    project: Project, judging: Judging, base: str | None, servers: tuple[str, ...], writer: Writer, *, offline: bool
) -> int:
    """Ask all three, report, return the exit code. Raises FusionError where there is no lock to check."""
    outcome = _outcome(project, judging, base, servers, offline=offline)
    if writer.machine:
        writer.report(outcome.whole)
    else:
        writer.text("".join(f"{line}\n" for line in _lines(outcome, project, judging, writer)))
    fail_on = judging.fail_on
    code = exit_code(outcome.whole, fail_on, stale=bool(outcome.edited or outcome.stale))
    faults = [f"{project.shown_lock} was edited by hand or merged badly"] if outcome.edited else []
    faults += [f"{project.shown_lock} is stale"] if outcome.stale else []
    found = bool(failing(outcome.report, fail_on))
    writer.line(ending(code, fail_on, found=found, faults=faults, unchecked=outcome.unchecked))
    return code


def _outcome(
    project: Project, judging: Judging, base: str | None, servers: tuple[str, ...], *, offline: bool
) -> _Outcome:
    from fusion_contracts.cli.base import base_lock
    from fusion_contracts.lockfile.codec import open_lock
    from fusion_contracts.lockfile.file import read_text
    from fusion_contracts.lockfile.verify import damage

    opened = open_lock(read_text(project.lock_path), origin=project.lockfile)
    lock = selected(opened.lock, servers, where=project.lockfile)
    names = {printable(name) for name in lock.servers}
    edited = tuple(problem for problem in damage(opened) if problem.server in names)
    fresh = None if offline else _freshness(project, lock, servers)
    head = Side(project.shown_lock, "lock")
    try:
        side, before = base_lock(project, base, servers)
    except FusionError as error:
        report = Report(Side("unknown", "git"), head)
        return _Outcome(lock, edited, fresh, report, first=False, unknown_base=error.problem)
    after = Lock() if before is None else lock
    report = judging.compare(before or Lock(), after, base=side, head=head)
    return _Outcome(lock, edited, fresh, report, first=before is None, unknown_base=None)


def _freshness(project: Project, lock: Lock, globs: Sequence[str]) -> Freshness:
    from fusion_contracts.cli.fresh import freshness

    fresh = freshness(project, lock, progress=tell, globs=globs)
    for note in fresh.notes:
        tell(f"note: {printable(note)}")
    return fresh


# --- for people ------------------------------------------------------------------------------------------------------


def _lines(outcome: _Outcome, project: Project, judging: Judging, writer: Writer) -> Iterator[str]:
    from fusion_contracts.report.text import render_findings, why

    yield f"fusion check: {project.shown_lock}, {count(len(outcome.lock.servers), 'server')}"
    yield from _intact(outcome)
    yield from _fresh(outcome, judging)
    yield from _compatible(outcome)
    findings = render_findings(outcome.report, width=writer.width, colour=writer.colour, show=writer.show)
    if findings:
        yield ""
        yield from (findings + why(outcome.report)).splitlines()


def _intact(outcome: _Outcome) -> Iterator[str]:
    yield f"intact      {'no' if outcome.edited else 'yes'}"
    for problem in outcome.edited:
        yield f"  {printable(str(problem))}"


def _fresh(outcome: _Outcome, judging: Judging) -> Iterator[str]:
    if outcome.fresh is None:
        yield "fresh       not asked (--offline)"
        return
    fresh = outcome.fresh
    counted = {"unchanged": len(fresh.unchanged), "changed": len(fresh.stale), "not checked": len(fresh.unread)}
    parts = [f"{count(number, 'server')} {word}" for word, number in counted.items() if number]
    yield f"fresh       {', '.join(parts) or 'no servers'}"
    for stale in fresh.stale:
        yield from _stale(stale, outcome.lock, judging)
    for problem in fresh.problems:
        yield f"  {printable(problem.server or 'all')}  not checked: {printable(problem.message)}"
        yield f"      next: {printable(problem.next)}"


def _stale(stale: Stale, lock: Lock, judging: Judging) -> Iterator[str]:
    """A changed server: the worst of what changed, how much, and whether an unpinned package is why."""
    from fusion_contracts.cli.fresh import unpinned

    name, locked = printable(stale.name), lock.servers.get(stale.name)
    if stale.live is None or locked is None:
        yield f"  {name}  changed: {printable(stale.reason)}"
        yield f"      next: {printable(stale.problem.next)}"
        return
    report = judging.compare(Lock({stale.name: locked}), Lock({stale.name: stale.live}))
    counts = report.counts
    told = levels(counts[Level.BREAKING], counts[Level.RISKY], counts[Level.SAFE])
    package = unpinned(stale.live.source.command) if stale.live.source else None
    version = locked.info.get("version")
    why = f" ({package} is unpinned; locked: {version})" if package else ""
    yield f"  {name}  {report.verdict}  {told}{printable(why)}"
    if stale.moved:
        yield f"      {stale.moved}"
    yield f"      next: {stale.next}"


def _compatible(outcome: _Outcome) -> Iterator[str]:
    if outcome.unknown_base is not None:
        yield f"compatible  not checked: {printable(outcome.unknown_base.message)}"
        yield f"      next: {printable(outcome.unknown_base.next)}"
    elif outcome.first:
        yield f"compatible  first lock: nothing to compare ({outcome.report.base.label} does not exist)"
    else:
        counts = outcome.report.counts
        told = levels(counts[Level.BREAKING], counts[Level.RISKY], counts[Level.SAFE])
        yield f"compatible  with {outcome.report.base.label}: {told}"
