"""Signals that end this process, turned into an orderly end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["EndedError", "interruptible"]


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
