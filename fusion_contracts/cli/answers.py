"""What `fusion check` answers about one lock, for people: a sentence a question, and below it what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.diff import Level, Report
from fusion_contracts.model import Lock
from fusion_contracts.report.counts import count, levels

if TYPE_CHECKING:
    from fusion_contracts.cli.checking import Outcome
    from fusion_contracts.cli.fresh import Stale
    from fusion_contracts.cli.project import Judging

__all__ = ["answers"]


def answers(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """The answers by their question: `intact`, `fresh`, `compatible`; `version` and `settings` where there is one."""
    told = {
        "intact": tuple(_intact(outcome)),
        "fresh": tuple(_fresh(outcome)),
        "compatible": tuple(_compatible(outcome)),
    }
    if outcome.bumps is not None:
        told["version"] = tuple(outcome.bumps.lines())
    if outcome.weighed:
        told["settings"] = (f"changed in this change: {', '.join(outcome.weighed)}",)
    return told


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
    from fusion_contracts.sources.runners import unpinned

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
    if stale.told:
        yield f"    changed: {printable(stale.told)}"
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
