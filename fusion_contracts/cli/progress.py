"""What people see while sources are read: what is started, before it is, and how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import tell
from fusion_contracts.sources import running
from fusion_contracts.sources.unit import TWICE, Task

__all__ = ["announce", "counted", "quietly"]

_VERBS = {"stdio": "starting", "http": "connecting to", "python": "importing"}
_STEPS = 10  # lines about how far it is, in a log
_FEW = 5  # sources below which nobody asks how far it is


def announce(tasks: Sequence[Task], say: Callable[[str], None]) -> None:
    """Say what is started and contacted: a line each, before anything is. A label holds no secret."""
    for task in tasks:
        if task.source.live:
            verb = _VERBS.get(task.source.kind, "reading")
            say(f"{printable(task.options.name or '')}: {verb} {task.source.label}")
    if any(task.source.live and task.twice for task in tasks):
        say(TWICE)


def quietly(text: str) -> None:
    """Progress of one of many, which has nothing more to say once everything ends."""
    if not running.stopping():
        tell(text)


@contextmanager
def counted(total: int, say: Callable[[str], None]) -> Iterator[Callable[[object], None]]:
    """What to call for each source that is done: it says `12 of 60 done`, or moves a bar where a person looks on."""
    if sys.stderr.isatty():
        with _bar(total) as step:
            yield step
        return
    done = 0

    def count(_: object) -> None:
        nonlocal done
        done += 1
        if total >= _FEW and done * _STEPS // total > (done - 1) * _STEPS // total:
            say(f"{done} of {total} done")

    yield count


@contextmanager
def _bar(total: int) -> Iterator[Callable[[object], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), "done", TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda _: bar.advance(task)
