"""Signals that end this process, turned into an orderly end, and waits that no signal has to wait for.

Python acts on a signal between two steps of the main thread. One that comes when a wait has just begun ends that wait
not: it would be acted on when the wait is over, which may be minutes. So what may take long waits `SLICE` by `SLICE`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty
from time import monotonic
from typing import Protocol, TypeVar

__all__ = ["SLICE", "EndedError", "interruptible", "taken"]

SLICE = 0.25
"""Seconds that a signal may have to wait."""

Item_co = TypeVar("Item_co", covariant=True)


class _Queue(Protocol[Item_co]):
    """Any queue of the standard library."""

    def get(self, *, timeout: float) -> Item_co: ...


def taken(queue: _Queue[Item_co], deadline: float) -> Item_co:
    """What comes next in a queue. `deadline` is of the monotonic clock. Raises Empty where nothing comes by then."""
    while True:
        left = deadline - monotonic()
        try:
            return queue.get(timeout=max(0.0, min(left, SLICE)))
        except Empty:
            if left <= SLICE:
                raise


class EndedError(SystemExit):
    """A signal ends this process. Any other SystemExit may be the wish of code that was imported."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn a signal that would end this process at once into EndedError, so that what it started is ended first.

    Only in the main thread, and only where nobody else handles the signal.
    """
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    taken: list[int] = []
    if threading.current_thread() is threading.main_thread():
        taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]

    def leave(number: int, _: object) -> None:
        raise EndedError(128 + number)

    for number in taken:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
