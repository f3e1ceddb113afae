"""A store in this process's memory: for tests, and for a loop that no other process shares."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from fusion_contracts.loop.stores.base import checked_ttl
from fusion_contracts.loop.stores.per_process import PerProcess

__all__ = ["MemoryStore"]

_SWEEP = 64  # writes between two removals of what has expired, at least


class MemoryStore:
    """Values of this process alone; gone when it ends. A forked child has what stood there, and goes on by itself."""

    blocking = False

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives the seconds that a `ttl` is counted by."""
        self._clock = clock
        self._locks = PerProcess(Lock)  # one may be held by a thread that a fork leaves behind
        self._entries: dict[str, tuple[bytes, float | None]] = {}
        self._writes = 0  # since expired values were last removed
        self._left = _SWEEP  # values that stood then, or a few

    def get(self, key: str) -> bytes | None:
        """As `Store.get`."""
        with self._locks.here():
            return self._standing(key)

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        """As `Store.replace`."""
        seconds = checked_ttl(ttl)
        with self._locks.here():
            if self._standing(key) != old:
                return False
            if new is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = (new, None if seconds is None else self._clock() + seconds)
            self._sweep()
            return True

    def close(self) -> None:
        """Nothing is open, and nothing is lost: the values stay as long as the store does."""

    def _standing(self, key: str) -> bytes | None:
        value, end = self._entries.get(key, (None, None))
        return value if end is None or self._clock() < end else None

    def _sweep(self) -> None:
        """Remove what has expired, once in as many writes as there were values: a constant cost per write."""
        self._writes += 1
        if self._writes <= self._left:
            return
        self._writes = 0
        now = self._clock()
        self._entries = {key: entry for key, entry in self._entries.items() if entry[1] is None or now < entry[1]}
        self._left = max(_SWEEP, len(self._entries))
