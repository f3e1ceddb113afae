"""How much memory a server and all that it started use, and the end of one that uses too much (Linux).

Looked at from outside a few times a second. A limit on the address space (`RLIMIT_AS`) is no measure of memory:
runtimes such as node reserve many gigabytes and use few; and a control group needs rights that a session seldom has.
Other systems tell nothing cheaply, so there is no limit on them.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from fusion_contracts.record import record

__all__ = ["DEFAULT", "SUPPORTED", "bytes_of", "shown_size", "used", "watched"]

DEFAULT = 2 * 2**30
"""Bytes that a server may use, unless the settings say otherwise."""
_PROCESSES = Path("/proc")
SUPPORTED = (_PROCESSES / "self" / "stat").exists()
"""Whether this system tells what processes use."""
_INTERVAL = 0.2  # seconds between two looks
_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_PARENT, _SESSION, _RESIDENT = 1, 3, 21  # fields of /proc/PID/stat behind the name


def bytes_of(size: str) -> int:
    """The bytes of a size such as `512 MiB` or `2 GiB`, which the settings have checked."""
    number, unit = size.split(" ")
    return int(number) * _UNITS[unit]


def shown_size(number: int) -> str:
    """A number of bytes in the largest unit that takes it whole."""
    name, unit = next(
        ((name, unit) for name, unit in reversed(_UNITS.items()) if number % unit == 0 and number >= unit), ("bytes", 1)
    )
    return f"{number // unit} {name}"


@contextmanager
def watched(pid: int, limit: int, exceeded: Callable[[], None]) -> Iterator[None]:
    """End the session that a process leads, with its children elsewhere, once all use more than `limit` bytes.

    `exceeded` is called, in another thread, just before. Memory that several of them share is counted for each.
    """
    _WATCHER.add(pid, _Watched(limit, exceeded))
    try:
        yield
    finally:
        _WATCHER.remove(pid)


@record
class _Watched:
    limit: int
    exceeded: Callable[[], None]


class _Watcher:
    """One thread for all, which is there while there is something to watch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[int, _Watched] = {}
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()

    def add(self, pid: int, one: _Watched) -> None:
        if not SUPPORTED:
            return
        with self._lock:
            self._watched[pid] = one
            self._idle.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="fusion-memory", daemon=True)
                self._thread.start()

    def remove(self, pid: int) -> None:
        with self._lock:
            self._watched.pop(pid, None)
            if not self._watched:
                self._idle.set()

    def _watch(self) -> None:
        while True:
            self._idle.wait(_INTERVAL)
            with self._lock:
                if not self._watched:
                    self._thread = None
                    return
                current = dict(self._watched)
            for pid, (size, members) in used(current).items():
                if size > current[pid].limit:
                    self._end(pid, current[pid], members)

    def _end(self, pid: int, one: _Watched, members: frozenset[int]) -> None:
        with self._lock:
            if self._watched.pop(pid, None) is not one:  # it ended meanwhile, and its number may be another's
                return
            one.exceeded()
            for member in members:
                with suppress(OSError):
                    os.kill(member, signal.SIGKILL)


_WATCHER = _Watcher()


def used(leaders: Mapping[int, object]) -> dict[int, tuple[int, frozenset[int]]]:
    """Of each process that leads a session: the resident bytes of its session and its descendants, and who they are."""
    table = _table()
    children: dict[int, list[int]] = {}
    for pid, (parent, session, _) in table.items():
        children.setdefault(parent, []).append(pid)
        if session in leaders and session != pid:
            children.setdefault(session, []).append(pid)
    return {pid: _total(pid, table, children) for pid in leaders}


def _total(
    pid: int, table: Mapping[int, tuple[int, int, int]], children: Mapping[int, list[int]]
) -> tuple[int, frozenset[int]]:
    found: set[int] = set()
    waiting = [pid]  # looked at also where it is gone: its session may not be
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += children.get(one, [])
    return sum(table[one][2] for one in found if one in table), frozenset(found & table.keys())


def _table() -> dict[int, tuple[int, int, int]]:
    """Parent, session and resident bytes of every process."""
    page = os.sysconf("SC_PAGE_SIZE")
    found = {}
    with suppress(OSError):
        for name in os.listdir(_PROCESSES):  # noqa: PTH208 - half the cost, and there may be thousands
            if name.isdigit():
                with suppress(OSError, ValueError, IndexError):  # ended meanwhile
                    fields = (_PROCESSES / name / "stat").read_bytes().rpartition(b")")[2].split()
                    found[int(name)] = int(fields[_PARENT]), int(fields[_SESSION]), int(fields[_RESIDENT]) * page
    return found
