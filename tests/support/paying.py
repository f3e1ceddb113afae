"""A process that pays once: started by tests, which kill it, and count the lines that its effect has left.

Usage: python paying.py URL SCOPE FILE [STEP]

STEP is where the process kills itself: `before N` or `after N` for the N-th time that its call asks the store,
`before effect` or `after effect`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from fusion_contracts import ToolFault
from fusion_contracts.loop.idempotency import Ledger, idempotent
from fusion_contracts.loop.stores import Store, open_store

Result = TypeVar("Result")

KEY = "the one key"
LEASE = 0.05  # seconds


class Deadly:
    """A store that ends its process at the chosen step. What the heartbeat asks is not counted."""

    blocking = True

    def __init__(self, store: Store, step: str) -> None:
        self._store = store
        self._step = step
        self._asked = 0

    def get(self, key: str) -> bytes | None:
        return self._at_step(lambda: self._store.get(key))

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        return self._at_step(lambda: self._store.replace(key, old, new, ttl=ttl))

    def close(self) -> None:
        self._store.close()

    def _at_step(self, ask: Callable[[], Result]) -> Result:
        if threading.current_thread() is not threading.main_thread():
            return ask()
        self._asked += 1
        die_at(self._step, f"before {self._asked}")
        answer = ask()
        die_at(self._step, f"after {self._asked}")
        return answer


def die_at(step: str, here: str) -> None:
    """End as the kernel ends a process: nothing is flushed, nothing is said."""
    if step == here:
        os.kill(os.getpid(), signal.SIGKILL)


def pay(ledger: Ledger, scope: str, file: str, step: str = "") -> str:
    """The tool: one line more in the file is one payment. A fault's text is an answer too."""

    @idempotent("ref", ledger=ledger, scope=scope)
    def tool(ref: str) -> str:
        die_at(step, "before effect")
        with open(file, "ab", buffering=0) as paid:  # noqa: PTH123 - one write, appended by the kernel
            paid.write(f"{os.getpid()}\n".encode())
        die_at(step, "after effect")
        return f"paid by {os.getpid()}"

    try:
        return tool(KEY)
    except ToolFault as fault:
        return f"{fault.code}: {fault.message}"


def main() -> None:
    url, scope, file, *step = sys.argv[1:]
    store = open_store(url)
    ledger = Ledger(Deadly(store, " ".join(step)), lease=LEASE if step else 30)
    sys.stdin.read()  # all begin at once: when the parent closes the pipe
    print(pay(ledger, scope, file, " ".join(step)))  # noqa: T201 - the answer
    ledger.close()


if __name__ == "__main__":
    main()
