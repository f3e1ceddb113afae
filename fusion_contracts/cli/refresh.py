"""The sources of a roster read side by side, and what came of it: contracts that a lock can hold, and problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NoReturn

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import tell
from fusion_contracts.cli.project import Project, matches
from fusion_contracts.cli.roster import Roster
from fusion_contracts.cli.wanted import Wanted, locked_as
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.sources.base import Reading
    from fusion_contracts.sources.candidates import Candidate
    from fusion_contracts.sources.journal import Journal
    from fusion_contracts.sources.unit import Answer, Task

__all__ = ["Effort", "Refreshed", "limits_of", "raise_first", "read", "refresh", "take", "task_of"]

_KEPT = "its old entry stays in the lock, if it has one; the rest is locked"


@record
class Effort:
    """How much is done at a time (`jobs`), and which servers may be away without an effect on how the command ends.

    `scheduler` is the address of a cluster that reads, None for this machine; `resume`: go on with a run before.
    """

    jobs: int | None = None
    allow: tuple[str, ...] = ()
    scheduler: str | None = None
    resume: bool = False

    @classmethod
    def of(
        cls, jobs: str | None, allow: Iterable[str], scheduler: str | None = None, *, resume: bool = False
    ) -> Effort:
        """What the options of a command say."""
        return cls(None if jobs is None else int(jobs), tuple(allow), scheduler, resume)

    def excuses(self, server: str | None) -> bool:
        """Whether a server may be away; None is none that anybody could have named."""
        return server is not None and bool(self.allow) and matches(server, self.allow)


_USUAL = Effort()


@dataclass(slots=True)
class Refreshed:
    """What the sources gave now. `refused` counts the tools that were left as they are in the lock, or left out.

    `excused` are problems of sources that may be away.
    """

    contracts: dict[str, ServerContract] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    volatile: list[Candidate] = field(default_factory=list)
    excused: list[Problem] = field(default_factory=list)
    refused: int = 0
    unread: int = 0

    def fail(self, problem: Problem, effort: Effort) -> None:
        """Take note of a source that could not be read, and may or may not be away."""
        if effort.excuses(problem.server):
            self.excused.append(problem)
        else:
            self.problems.append(problem)
            self.unread += 1


def refresh(  # noqa: PLR0913 - what to read, what to compare with, and how
    project: Project,
    roster: Roster,
    locked: Lock,
    *,
    twice: bool,
    progress: Callable[[str], None],
    globs: Sequence[str] = (),
    effort: Effort = _USUAL,
    journal: Journal | None = None,
) -> Refreshed:
    """Read every source of the roster, several side by side; one that fails is a problem and hides no other.

    What comes of it is in the order of the roster, whatever finished first. `locked` is the present lock: its entries
    stand in for what cannot be read or stored now. `twice` lists live servers a second time, to find texts that differ
    by themselves. `globs` selects among the servers of one source; `journal` holds what a run before listed, and takes
    what this one does.
    """
    found = Refreshed(notes=list(roster.notes))
    for problem in roster.problems:
        found.fail(problem, effort)
    tasks = [task_of(project, one, locked, progress, twice=twice) for one in roster.wanted]
    answers = _answers(tasks, progress, effort, journal)
    for one, answer in zip(roster.wanted, answers, strict=True):
        found.volatile += answer.volatile
        if answer.problem is not None:
            found.fail(answer.problem, effort)
        elif answer.reading is not None:
            take(found, answer.reading, locked, () if one.config else globs)
    found.problems.sort(key=lambda problem: problem.server or "")
    return found


def read(project: Project, roster: Roster, like: Lock | None = None, effort: Effort = _USUAL) -> Reading:
    """The roster's sources as one reading, all that they gave. `like` is what it will be compared with.

    Raises FusionError where the one source that there is cannot be read.
    """
    from fusion_contracts.sources.base import Reading, joined

    tasks = [task_of(project, one, like or Lock(), tell, twice=False) for one in roster.wanted]
    answers = _answers(tasks, tell, effort)
    problems = [*roster.problems, *(answer.problem for answer in answers if answer.problem)]
    problems.sort(key=lambda problem: problem.server or "")
    readings = [answer.reading for answer in answers if answer.reading]
    return joined([Reading(problems=tuple(problems), notes=tuple(roster.notes)), *readings])


def raise_first(problems: Sequence[Problem]) -> NoReturn:
    """Raise the only problem as a FusionError; of several, tell them and raise that nothing could be read."""
    if len(problems) == 1:
        raise FusionError.of(problems[0])
    for problem in problems:
        tell(f"fusion: {printable(str(problem))}")
    raise FusionError("no source could be read", "see above; nothing was written")


def task_of(project: Project, one: Wanted, locked: Lock, progress: Callable[[str], None], *, twice: bool) -> Task:
    """How to read a source whose server may be in the lock: under its NAME, in its version of the protocol."""
    from fusion_contracts.sources.environment import Beside
    from fusion_contracts.sources.unit import Task

    old = locked_as(one, locked)
    name = one.name or (old.name if old else None)
    options = project.options(progress, name=name, protocol_version=old.protocol_version if old else None)
    timeout, memory = limits_of(project, one, name)
    options = replace(options, timeout=timeout, memory=memory)
    if one.variables:
        options = replace(options, environ=Beside(one.variables))
    return Task(one.source, options, twice)


def limits_of(project: Project, one: Wanted, name: str | None) -> tuple[float | None, int | None]:
    """The seconds and bytes that a source may use: its own, else those of its server, else those of all."""
    from fusion_contracts.config.policies import by_exactness, first_said

    config = project.config
    limits = [*(by_exactness(name, config.servers) if name else ()), config.limits]
    timeout = first_said((limit.timeout for limit in limits), None)
    memory = first_said((limit.memory for limit in limits), None)
    if memory is None:
        return one.timeout or timeout, None
    from fusion_contracts.sources.memory import bytes_of

    return one.timeout or timeout, bytes_of(memory)


def _answers(
    tasks: Sequence[Task], progress: Callable[[str], None], effort: Effort, journal: Journal | None = None
) -> list[Answer]:
    """One source says by itself what it starts; of several it is told together."""
    if sum(task.source.live for task in tasks) > 1 or effort.scheduler or journal:
        from fusion_contracts.cli.gathering import gather

        return gather(tasks, progress, effort, journal)
    from fusion_contracts.sources.together import read_all

    return read_all(tasks)


def take(found: Refreshed, reading: Reading, locked: Lock, globs: Sequence[str]) -> None:
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
