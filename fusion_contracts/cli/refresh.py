"""`fusion lock`, apart from its printing: read the sources, and make the new text of the lock."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.project import Project, matches
from fusion_contracts.cli.wanted import Wanted, locked_as
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, ServerContract

if TYPE_CHECKING:
    from fusion_contracts.sources.base import Reading
    from fusion_contracts.sources.candidates import Candidate
    from fusion_contracts.sources.unit import Answer, Task

__all__ = ["Refreshed", "new_text", "refresh"]

_KEPT = "its old entry stays in the lock, if it has one; the rest is locked"


@dataclass(slots=True)
class Refreshed:
    """What the sources gave now. `refused` counts the tools that were left as they are in the lock, or left out."""

    contracts: dict[str, ServerContract] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    volatile: list[Candidate] = field(default_factory=list)
    refused: int = 0
    unread: int = 0


def refresh(  # noqa: PLR0913 - what to read, what to compare with, and how
    project: Project,
    wanted: Iterable[Wanted],
    locked: Lock,
    *,
    twice: bool,
    progress: Callable[[str], None],
    globs: Sequence[str] = (),
    jobs: int | None = None,
) -> Refreshed:
    """Read every source, at most `jobs` side by side; one that fails is a problem and hides no other.

    What comes of it is in the order of `wanted`, whatever finished first. `locked` is the present lock: its entries
    stand in for what cannot be read or stored now. `twice` lists live servers a second time, to find texts that differ
    by themselves. `globs` selects among the servers of one source.
    """
    from fusion_contracts.sources.together import JOBS, read_all

    tasks = [_task(project, one, locked, progress, twice=twice) for one in wanted]
    if sum(task.source.live for task in tasks) > 1:
        answers = _together(tasks, progress, jobs or JOBS)
    else:
        answers = read_all(tasks)
    found = Refreshed()
    for answer in answers:
        found.volatile += answer.volatile
        if answer.problem is not None:
            found.problems.append(answer.problem)
            found.unread += 1
        elif answer.reading is not None:
            _take(found, answer.reading, locked, globs)
    return found


def _task(project: Project, one: Wanted, locked: Lock, progress: Callable[[str], None], *, twice: bool) -> Task:
    """How to read a source whose server may be in the lock: under its NAME, in its version of the protocol."""
    from fusion_contracts.sources.unit import Task

    old = locked_as(one, locked)
    name = one.name or (old.name if old else None)
    options = project.options(progress, name=name, protocol_version=old.protocol_version if old else None)
    return Task(one.source, replace(options, timeout=one.timeout), twice)


def _together(tasks: Sequence[Task], progress: Callable[[str], None], jobs: int) -> list[Answer]:
    """Several sources: what is started is told first, and then how far it is."""
    from fusion_contracts.cli.progress import announce, counted, quietly
    from fusion_contracts.sources.together import read_all

    announce(tasks, progress)
    told = [replace(task, options=replace(task.options, progress=quietly, announced=True)) for task in tasks]
    with counted(len(tasks), progress) as done:
        return read_all(told, jobs=jobs, done=done)


def _take(found: Refreshed, reading: Reading, locked: Lock, globs: Sequence[str]) -> None:
    """Add what one source gave, without what a lock cannot hold."""
    from fusion_contracts.lockfile.limits import lockable, unlockable, unlockable_parts
    from fusion_contracts.sources.base import keep_unread

    found.problems += reading.problems
    found.notes += reading.notes
    found.refused += sum(_is_refused_tool(problem) for problem in reading.problems)
    for contract in reading.contracts:
        if not matches(contract.name, globs):
            continue
        if contract.name in found.contracts:
            message = f"two sources give a server of the name {printable(contract.name)}"
            found.problems.append(Problem(contract.name, "usage", message, "give one of them another name"))
            continue
        old = locked.servers.get(contract.name)
        whole = keep_unread(contract, old, reading)
        tools = unlockable(whole)
        for sentence in (*tools.values(), *unlockable_parts(whole).values()):
            found.problems.append(Problem(contract.name, "lock", sentence, _KEPT))
        found.refused += len(tools)
        found.contracts[contract.name] = lockable(whole, old)


def _is_refused_tool(problem: Problem) -> bool:
    return problem.stage == "normalise" and problem.message.startswith("tool ")


def new_text(
    old: str | None,
    locked: Lock,
    contracts: Mapping[str, ServerContract],
    gone: Collection[str] = (),
    *,
    origin: str,
) -> str:
    """The lock's text with these contracts and without the servers `gone`: blocks of others keep every byte.

    `old` is the present text, None where there is none. Raises FusionError where the text takes no new block.
    """
    kept = {name: contract for name, contract in locked.servers.items() if name not in gone}
    if old is None or contracts.keys() == kept.keys():
        from fusion_contracts.lockfile.codec import encode

        return encode(Lock({name: contracts[name] for name in sorted(contracts)}))
    from fusion_contracts.lockfile.splice import splice

    return splice(old, Lock({**kept, **contracts}), {*contracts, *gone}, origin=origin)
