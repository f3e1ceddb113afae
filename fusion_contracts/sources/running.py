"""What is being read just now, so that one thread can end what the others wait for.

A signal reaches the main thread alone. Where servers are read in several threads (`together`), each reading is enlisted
here; `stop` tells all of them to end, and from then on until `ready` none begins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fusion_contracts.errors import FusionError

__all__ = ["Member", "enlisted", "ready", "stop", "stopping"]


class Member:
    """One reading. `ends_by` says how whoever waits for it is woken; its own thread then ends what it started."""

    def __init__(self) -> None:
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
_STOPPING = threading.Event()


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


def stop() -> None:
    """Let nothing begin, and wake every reading so that it ends what it started. May be called again."""
    _STOPPING.set()
    with _LOCK:
        members = list(_MEMBERS)
    for member in members:
        member.end()


def stopping() -> bool:
    """Whether everything ends."""
    return _STOPPING.is_set()


def ready() -> None:
    """Let readings begin again, once all have ended."""
    _STOPPING.clear()
