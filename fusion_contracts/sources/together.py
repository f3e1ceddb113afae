"""Many sources read side by side, and all of them ended together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
    as_completed,
    wait,
)

from fusion_contracts.canonical import printable
from fusion_contracts.errors import Problem
from fusion_contracts.sources import running
from fusion_contracts.sources.guard import guarded
from fusion_contracts.sources.interrupt import SLICE, interruptible
from fusion_contracts.sources.unit import Answer, Task, work

__all__ = ["JOBS", "read_all", "travels"]

JOBS = 16
"""How many are read at a time, unless someone says otherwise."""
_BESIDE = frozenset({"stdio", "http"})
"""Kinds that are read beside others. A file is read at once, and importing an object changes the whole process."""


def _nothing(number: int, answer: Answer) -> None:
    """Take no note."""


def travels(task: Task) -> bool:
    """Whether a task may be read beside others, and so in another thread, process or machine."""
    return task.source.kind in _BESIDE


def read_all(
    tasks: Sequence[Task],
    *,
    jobs: int = JOBS,
    executor: Executor | None = None,
    done: Callable[[int, Answer], None] = _nothing,
) -> list[Answer]:
    """The answers, in the order of the tasks, whatever finished first. `done` is called for each as it comes.

    `done` takes the number of the task as well. At most `jobs` are read at a time, in threads, or as the `executor`
    sees fit; what an executor loses is the problem of that source alone. When an exception ends this (a signal is one)
    nothing more is started, and it leaves once everything that was started has ended.
    """
    answers: dict[int, Answer] = {}
    beside = []
    for number, task in enumerate(tasks):
        if travels(task) and (executor is not None or len(tasks) > 1):
            beside.append(number)
        else:
            answers[number] = work(task)
            done(number, answers[number])
    if beside:
        if executor is None:
            guarded()
        own = executor or ThreadPoolExecutor(min(jobs, len(beside)), "fusion-read")
        try:
            answers |= _beside(tasks, beside, own, done)
        finally:
            if executor is None:
                own.shutdown(cancel_futures=True)
            running.ready()
    return [answers[number] for number in range(len(tasks))]


def _beside(
    tasks: Sequence[Task], numbers: Sequence[int], executor: Executor, done: Callable[[int, Answer], None]
) -> dict[int, Answer]:
    futures: dict[Future[Answer], int] = {}
    answers = {}
    with interruptible():  # else a signal would end this process before its threads could end theirs
        try:
            for number in numbers:
                futures[_submitted(executor, tasks[number])] = number
            for future in _as_completed(futures):
                number = futures[future]
                answers[number] = _answer(future, tasks[number])
                done(number, answers[number])
        except BaseException:
            _end(futures)
            raise
    return answers


def _as_completed(futures: Collection[Future[Answer]]) -> Iterator[Future[Answer]]:
    """The futures as they complete; a signal waits for none of them."""
    left = set(futures)
    while left:
        try:
            for future in as_completed(left, timeout=SLICE):
                left.discard(future)
                yield future
        except TimeoutError:
            continue


def _submitted(executor: Executor, task: Task) -> Future[Answer]:
    """The future of a task, also of one that a broken executor does not take any more."""
    try:
        return executor.submit(work, task)
    except BrokenExecutor as error:
        refused: Future[Answer] = Future()
        refused.set_exception(error)
        return refused


def _answer(future: Future[Answer], task: Task) -> Answer:
    """What came of a task. `work` raises nothing, so what is raised is the executor's own: the task was lost."""
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 - whatever it was, the other tasks go on
        sys.audit("fusion_contracts.fault", error)
        kind = printable(type(error).__name__)
        message = f"was not read: whatever ran it lost it ({kind})"
        return Answer(problem=Problem(task.options.name, "start", message, "run it again"))


def _end(futures: dict[Future[Answer], int]) -> None:
    """Wait until every task has ended what it started; another signal makes that faster, and cuts nothing short."""
    ended = False
    while not ended:
        try:
            running.stop()
            for future in futures:
                future.cancel()
            while wait(futures, timeout=SLICE).not_done:
                pass  # a signal is acted on in between
            ended = True
        except (KeyboardInterrupt, SystemExit):
            continue
