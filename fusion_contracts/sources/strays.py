"""Processes that a server started and that left its process group, where the system tells of them (Linux).

Started as a program, with the beginning of a mark as its argument, this file waits until its standard input ends, and
then ends every process that bears such a mark: whoever holds the other end is gone, in whichever way (`guard`).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["MARK", "below", "marked"]

MARK = "FUSION_LISTING"
"""A variable with a value of its own for every start. What a server starts inherits it, and a child that cut its ties
(a second fork, a session of its own, its streams closed) is known by nothing else."""

_PROCESSES = Path("/proc")
_PAUSE = 0.02  # seconds in which killed processes may go
_LONGEST = 30.0  # seconds for which it is tried


def below(pid: int) -> set[int]:
    """The children of a process, and theirs, that are not in its process group."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        with suppress(OSError, ValueError):
            for task in (_PROCESSES / str(parent) / "task").iterdir():
                children = {int(one) for one in (task / "children").read_text(encoding="ascii").split()}
                waiting.extend(children - found)
                found |= children
    return {one for one in found if _group_of(one) != pid}


def marked(value: str) -> set[int]:
    """Every process whose environment holds the mark with a value that begins so."""
    mark = f"\0{MARK}={value}".encode()
    found: set[int] = set()
    with suppress(OSError):  # no such folder: another system
        for name in os.listdir(_PROCESSES):  # noqa: PTH208 - half the cost, and there may be thousands
            with suppress(OSError, ValueError):  # ended meanwhile, or another user's
                pid = int(name)
                if mark in b"\0" + (_PROCESSES / name / "environ").read_bytes():
                    found.add(pid)
    return found


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _end_all(value: str) -> None:
    """End every process that bears a mark which begins so, and what it starts meanwhile; one may be past all ending."""
    until = time.monotonic() + _LONGEST
    while (found := marked(value)) and time.monotonic() < until:
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


if __name__ == "__main__":
    sys.stdin.buffer.read()  # ends with whoever started this
    _end_all(sys.argv[1])
