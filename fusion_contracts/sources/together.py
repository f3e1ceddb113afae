"""Many sources read side by side, and all of them ended together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed, wait

from fusion_contracts.sources import running
from fusion_contracts.sources.interrupt import interruptible
from fusion_contracts.sources.unit import Answer, Task, work

__all__ = ["JOBS", "read_all"]

JOBS = 16
"""How many are read at a time, unless someone says otherwise."""
_BESIDE = frozenset({"stdio", "http"})
"""Kinds that are read beside others. A file is read at once, and importing an object changes the whole process."""


def _nothing(answer: Answer) -> None:
    """Take no note."""


def read_all(
    tasks: Sequence[Task],
    *,
    jobs: int = JOBS,
    executor: Executor | None = None,
    done: Callable[[Answer], None] = _nothing,
) -> list[Answer]:
    """The answers, in the order of the tasks, whatever finished first. `done` is called for each as it comes.

    At most `jobs` are read at a time, in threads, or as the `executor` sees fit. When an exception ends this (a signal
    is one) nothing more is started, and it leaves once everything that was started has ended.
    """
    answers: dict[int, Answer] = {}
    beside = []
    for number, task in enumerate(tasks):
        if task.source.kind in _BESIDE and len(tasks) > 1:
            beside.append(number)
        else:
            answers[number] = work(task)
            done(answers[number])
    if beside:
        own = executor or ThreadPoolExecutor(min(jobs, len(beside)), "fusion-read")
        try:
            answers |= _beside(tasks, beside, own, done)
        finally:
            if executor is None:
                own.shutdown(cancel_futures=True)
            running.ready()
    return [answers[number] for number in range(len(tasks))]


def _beside(
    tasks: Sequence[Task], numbers: Sequence[int], executor: Executor, done: Callable[[Answer], None]
) -> dict[int, Answer]:
    futures: dict[Future[Answer], int] = {}
    with interruptible():  # else a signal would end this process before its threads could end theirs
        try:
            futures.update((executor.submit(work, tasks[number]), number) for number in numbers)
            for future in as_completed(futures):
                done(future.result())
        except BaseException:
            _end(futures)
            raise
    return {number: future.result() for future, number in futures.items()}


def _end(futures: dict[Future[Answer], int]) -> None:
    """Wait until every task has ended what it started; another signal makes that faster, and cuts nothing short."""
    ended = False
    while not ended:
        try:
            running.stop()
            for future in futures:
                future.cancel()
            wait(futures)
            ended = True
        except (KeyboardInterrupt, SystemExit):
            continue
