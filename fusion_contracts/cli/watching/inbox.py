"""What the threads of a watch tell the one that decides: in the order it came, but outcomes of posting together."""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TypeAlias

from fusion_contracts.cli.watching.delivery import Outcome
from fusion_contracts.cli.watching.readers import Ended, Listed
from fusion_contracts.record import record

__all__ = ["Event", "Inbox", "Outcomes", "Stopped"]


@record
class Stopped:
    """A signal came."""

    number: int


Outcomes: TypeAlias = list[Outcome]
Event: TypeAlias = "Listed | Ended | Outcomes | Stopped"


@dataclass(slots=True)
class Inbox:
    """A queue. Any thread, and a signal, may `put`; all else is for the thread that decides."""

    _queue: SimpleQueue[Listed | Ended | Outcome | Stopped] = field(default_factory=SimpleQueue)
    _rest: deque[Listed | Ended | Stopped] = field(default_factory=deque)
    """What came between outcomes that were given."""

    def put(self, one: Listed | Ended | Outcome | Stopped) -> None:
        """Let it be known."""
        self._queue.put(one)

    def get(self, seconds: float) -> Event | None:
        """What came next; None where that is nothing for so long. Of outcomes all that came by now are given."""
        if self._rest:
            return self._rest.popleft()
        try:
            first = self._queue.get(timeout=seconds)
        except Empty:
            return None
        return self._with_others(first) if isinstance(first, Outcome) else first

    def _with_others(self, first: Outcome) -> Outcomes:
        outcomes = [first]
        for _ in range(self._queue.qsize()):
            one = self._queue.get()
            if isinstance(one, Outcome):
                outcomes.append(one)
            else:
                self._rest.append(one)
        return outcomes

    def only_outcomes(self) -> int:
        """Throw away all that came but outcomes. How many signals are among that."""
        everything = [*self._rest, *(self._queue.get() for _ in range(self._queue.qsize()))]
        self._rest.clear()
        for one in everything:
            if isinstance(one, Outcome):
                self._queue.put(one)
        return sum(isinstance(one, Stopped) for one in everything)

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Let signals that would end this process come here, in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
        before = {number: signal.getsignal(number) for number in numbers}
        ignored = [number for number, handler in before.items() if handler is signal.SIG_IGN]
        try:
            for number in numbers:
                if number not in ignored or number == signal.SIGTERM:
                    signal.signal(number, lambda number, _: self.put(Stopped(number)))
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
