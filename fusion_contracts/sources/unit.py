"""The unit of work: one source read, whatever comes of it. Any executor may run it, in this process or another."""

from __future__ import annotations

import sys
from dataclasses import replace

from fusion_contracts.errors import FusionError, Problem, fault
from fusion_contracts.record import record
from fusion_contracts.sources.base import Options, Reading, Source
from fusion_contracts.sources.candidates import Candidate
from fusion_contracts.sources.twice import read_twice

__all__ = ["TWICE", "Answer", "Task", "work"]

TWICE = "listing twice, to find what changes by itself"


@record
class Task:
    """What to read, and how; `twice` lists a live server a second time, to find what differs by itself."""

    source: Source
    options: Options
    twice: bool = False


@record
class Answer:
    """What came of a task: a reading, or the problem that it ended with; and what differed in a second listing."""

    reading: Reading | None = None
    problem: Problem | None = None
    volatile: tuple[Candidate, ...] = ()


def work(task: Task) -> Answer:
    """Read one source. Never raises for what goes wrong with it: that is an answer, and costs no other task its own.

    A mistake of ours is an answer too.
    """
    source, options = task.source, task.options
    sys.audit("fusion_contracts.step", "reads", options.name or source.kind)

    def again() -> None:
        if not options.announced:
            options.progress(TWICE)

    step = "could not read"
    try:
        if task.twice:
            reading, volatile = read_twice(source, options, again=again)
            answer = Answer(reading, volatile=tuple(volatile))
        else:
            answer = Answer(source.read(options))
        step = "has read"
        return answer  # noqa: TRY300 - an else would have to know whether it was read
    except FusionError as error:
        problem = error.problem
    except Exception as error:  # noqa: BLE001 - told by `fault`
        problem = fault(error).problem
    finally:
        sys.audit("fusion_contracts.step", step, options.name or source.kind)
    return Answer(problem=replace(problem, server=problem.server or options.name))
