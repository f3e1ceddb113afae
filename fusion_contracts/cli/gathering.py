"""The answers of many sources: what a run before listed, and the rest read here or by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from fusion_contracts.cli.output import tell
from fusion_contracts.cli.progress import announce, counted, quietly
from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError
from fusion_contracts.report.counts import count
from fusion_contracts.sources.journal import Journal, key_of
from fusion_contracts.sources.together import JOBS, read_all, travels
from fusion_contracts.sources.unit import Answer, Task

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from fusion_contracts.cli.refresh import Effort

__all__ = ["gather", "journaled"]

_FLEET = 100  # servers from which on a run takes minutes, so that what it listed is kept without being asked to


def gather(
    tasks: Sequence[Task], progress: Callable[[str], None], effort: Effort, journal: Journal | None = None
) -> list[Answer]:
    """The answers in the order of the tasks. What is started is told first, and then how far it is."""
    keys = [key_of(task) if journal and travels(task) else "" for task in tasks]
    before = journal.answers if journal else {}
    answers = {number: before[key] for number, key in enumerate(keys) if key in before}
    if journal and answers:
        total = count(len(tasks), "server")
        tell(f"{len(answers):,} of {total} listed by the run of {journal.since}: not read again")
    rest = [number for number in range(len(tasks)) if number not in answers]
    told = [_quiet(tasks[number]) for number in rest]
    with _executor(effort, told, progress) as executor:
        announce(told, progress)
        with counted(len(rest), progress) as step:

            def done(at: int, answer: Answer) -> None:
                step(answer)
                if journal and (key := keys[rest[at]]):
                    journal.add(key, answer)

            read = read_all(told, jobs=effort.jobs or JOBS, executor=executor, done=done)
    answers |= zip(rest, read, strict=True)
    return [answers[number] for number in range(len(tasks))]


def _quiet(task: Task) -> Task:
    return replace(task, options=replace(task.options, progress=quietly, announced=True))


def _executor(
    effort: Effort, tasks: Sequence[Task], progress: Callable[[str], None]
) -> AbstractContextManager[Executor | None]:
    if effort.scheduler is None or not any(map(travels, tasks)):
        return nullcontext()
    from fusion_contracts.sources.cluster import cluster

    return cluster(effort.scheduler, progress)


@contextmanager
def journaled(project: Project, state: str | None, effort: Effort, servers: int) -> Iterator[Journal | None]:
    """The journal beside the lock, `state` being what that is now; None where a run is soon repeated.

    It is there while the block runs, and stays where that is cut short. Raises FusionError where it cannot be kept.
    """
    left = project.lock_path.with_name(f"{project.lock_path.name}.journal")
    if not (effort.resume or effort.scheduler or servers >= _FLEET or left.exists()):
        yield None
        return
    journal = Journal.opened(project.lock_path, state, resume=effort.resume)
    if journal.note:
        tell(f"note: {journal.note}")
    try:
        yield journal
    except BaseException as error:
        kept = journal.close()
        if kept and not (isinstance(error, FusionError) and _is_past(project, state)):
            shown = project.shown(f"{project.lockfile}.journal")
            tell(f"note: {count(kept, 'server')} listed so far: {shown} keeps them, and --resume goes on from there")
        else:
            journal.drop()
        raise
    journal.drop()


def _is_past(project: Project, state: str | None) -> bool:
    """Whether the lock has another state now: what was listed beside that one counts no more."""
    from fusion_contracts.lockfile.disk import present_files

    try:
        return present_files(project.lock_path).state != state
    except FusionError:  # nobody knows: what is kept costs nothing
        return False
