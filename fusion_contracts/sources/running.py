"""What is being read just now, so that one thread can end what the others wait for.

A signal reaches the main thread alone. Where servers are read in several threads (`together`), each reading is enlisted
here; `stop` tells all of them to end, and from then on until `ready` none begins. A process that reads for several
commands at once (a worker of a cluster) gives each a run of its own, which ends alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from fusion_contracts.errors import FusionError

__all__ = ["Member", "count", "enlisted", "part_of", "ready", "stop", "stopping"]

_ALL = ""
_RUN: ContextVar[str] = ContextVar("_RUN", default=_ALL)


class Member:
    """One reading. `ends_by` says how whoever waits for it is woken; its own thread then ends what it started."""

    def __init__(self) -> None:
        self.run = _RUN.get()
        self._end: Callable[[], None] | None = None

    def ends_by(self, end: Callable[[], None]) -> None:
        """Take note of what wakes the reading; call it at once where everything ends already."""
        with _LOCK:
            self._end = end
        if stopping():
            end()

    def end(self) -> None:
        """Wake it, if it waits."""
        with _LOCK:
            end = self._end
        if end is not None:
            end()


_LOCK = threading.Lock()
_MEMBERS: set[Member] = set()
_STOPPED: set[str] = set()


@contextmanager
def part_of(run: str) -> Iterator[None]:
    """Let what this thread reads belong to a run, which `stop` may end alone."""
    token = _RUN.set(run)
    try:
        yield
    finally:
        _RUN.reset(token)


@contextmanager
def enlisted() -> Iterator[Member]:
    """Be told when everything ends. Raises FusionError where it does already: nothing more is started then."""
    member = Member()
    with _LOCK:
        _MEMBERS.add(member)
    try:
        if stopping():
            raise FusionError("was not read: the command was interrupted", "run it again", stage="start")
        yield member
    finally:
        with _LOCK:
            _MEMBERS.discard(member)


def stop(run: str = _ALL) -> None:
    """Let nothing begin, and wake every reading (of one run) so that it ends what it started. May be called again."""
    with _LOCK:
        _STOPPED.add(run)
        members = [member for member in _MEMBERS if run in {_ALL, member.run}]
    for member in members:
        member.end()


def stopping() -> bool:
    """Whether everything ends, or all of the run that this thread reads for."""
    return not _STOPPED.isdisjoint({_ALL, _RUN.get()})


def count(run: str) -> int:
    """How many readings of a run have not ended."""
    with _LOCK:
        return sum(member.run == run for member in _MEMBERS)


def ready() -> None:
    """Let readings begin again, once all have ended."""
    _STOPPED.discard(_ALL)
