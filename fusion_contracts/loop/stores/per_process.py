"""What one process must not take over from the one that forked it: connections, locks, threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["PerProcess"]

Made = TypeVar("Made")


class PerProcess(Generic[Made]):
    """One object a process. A child gets its own; its parent's is kept, untouched, as closing it would harm both."""

    def __init__(self, make: Callable[[], Made]) -> None:
        """`make` gives a new object; it is called once in each process, or twice where two threads meet."""
        self._make = make
        self._objects: dict[int, Made] = {}

    def here(self) -> Made:
        """This process's object."""
        found = self._objects.get(os.getpid())
        return self._objects.setdefault(os.getpid(), self._make()) if found is None else found
