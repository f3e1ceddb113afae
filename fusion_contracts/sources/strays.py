"""Processes that a server started and that left its process group, where the system tells of them (Linux)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["MARK", "below", "marked"]

MARK = "FUSION_LISTING"
"""A variable with a value of its own for every start. What a server starts inherits it, and a child that cut its ties
(a second fork, a session of its own, its streams closed) is known by nothing else."""

_PROCESSES = Path("/proc")


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
    """Every process whose environment holds the mark with this value."""
    mark = f"{MARK}={value}".encode()
    found: set[int] = set()
    with suppress(OSError):  # no such folder: another system
        for name in os.listdir(_PROCESSES):  # noqa: PTH208 - half the cost, and there may be thousands
            with suppress(OSError, ValueError):  # ended meanwhile, or another user's
                pid = int(name)
                if mark in (_PROCESSES / name / "environ").read_bytes().split(b"\0"):
                    found.add(pid)
    return found


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None
