"""A thread that writes entries, so that no tool call waits for a disk or a network, and none fails by them."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from fusion_contracts.canonical import printable
from fusion_contracts.loop.log.entry import Entry
from fusion_contracts.loop.log.sinks import Sink

__all__ = ["Writer", "attempt"]

_log = logging.getLogger("fusion_contracts.loop")
_BATCH = 500  # entries of one transaction
_WAITING = 20_000  # entries that may wait; beyond them the newest are dropped
_LAST = 5.0  # seconds that the end of the process may take

_inherited: list[Sink] = []  # of a process that forked: to close one here would end its connection there


class Writer:
    """Hands entries to one sink, in batches and in order. Threads may share it; a fork makes the sink `again`.

    What fails is lost, and said once by the logger `fusion_contracts.loop`; later entries are tried all the same.
    """

    def __init__(self, sink: Sink, again: Callable[[], Sink]) -> None:
        self._sink = sink
        self._again = again
        self._warned = False
        self._fresh()

    def _fresh(self) -> None:
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._waiting: deque[Entry] = deque()
        self._busy = False
        self._ending = False
        self._thread: threading.Thread | None = None

    def put(self, entry: Entry) -> None:
        """Take an entry to be written. Never waits and never raises."""
        if self._process != os.getpid():  # forked: the thread stayed behind, and locks may be as another left them
            _inherited.append(self._sink)
            self._sink = self._again()
            self._fresh()
        with self._changed:
            full = len(self._waiting) >= _WAITING
            if not full:
                self._waiting.append(entry)
            has_writer = self._thread is not None or self._start()
            self._changed.notify_all()
        if full:
            self._warn(f"does not keep up with the calls, and more than {_WAITING:,} wait")
        elif not has_writer:
            self._warn("has no thread that writes it, because the system gives none")

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until what was put is written, or was tried; at most `timeout` seconds. Whether it is so."""
        if self._process != os.getpid():
            return True
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, timeout)

    def close(self) -> None:
        """Write what waits, then end the thread and close the sink. A later entry starts again."""
        atexit.unregister(self.close)
        if self._process != os.getpid():
            return
        with self._changed:
            thread, self._ending = self._thread, True
            self._changed.notify_all()
        if thread is not None:
            thread.join(_LAST)

    def _start(self) -> bool:
        """Start the thread, which the end of the process waits for; whether it could be started."""
        self._ending = False
        thread = threading.Thread(target=self._work, name="fusion error log", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # too many of them, or the process is ending
            return False
        self._thread = thread
        atexit.register(self.close)
        return True

    def _work(self) -> None:
        while batch := self._next():
            problem = attempt(self._sink, batch)
            with self._changed:
                self._busy = False
                self._changed.notify_all()
            if problem is not None:
                self._warn(problem)

    def _next(self) -> list[Entry]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ending)
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), _BATCH))]
            self._busy = bool(batch)
            if not batch:
                with suppress(Exception):
                    self._sink.close()
                self._thread = None
            return batch

    def _warn(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            _log.warning("The error log %s %s: entries are lost, the calls go on", self._sink.name, problem)


def attempt(sink: Sink, batch: list[Entry]) -> str | None:
    """Write a batch, and say what went wrong; None for nothing. Never raises."""
    try:
        sink.write(batch)
    except Exception as error:  # noqa: BLE001 - whatever it is, the calls go on
        reason = printable(str(error).partition("\n")[0][:200])
        return f"cannot be written ({type(error).__name__}: {reason})"
    return None
