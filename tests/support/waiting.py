"""What tests of processes, threads and servers share: whether one runs, and waiting for what others do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

Found = TypeVar("Found")


def is_running(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:  # it is not there, or ended just now
        return False


def until(true: Callable[[], Any], what: str) -> None:
    """Wait for something that other processes do. The limit is for a test that would hang."""
    limit = time.monotonic() + 120
    while not true():
        assert time.monotonic() < limit, what
        time.sleep(0.02)


def left_running(pids: Iterable[int]) -> list[int]:
    """The processes that run on, once those that were killed had time to end."""
    known, limit = list(pids), time.monotonic() + 60
    while (left := [pid for pid in known if is_running(pid)]) and time.monotonic() < limit:
        time.sleep(0.01)
    return left


def in_its_time(read: Callable[[float], Found], wanted: Callable[[float], Found], first: float = 0.5) -> None:
    """Assert what comes of so many seconds. A slow machine that does not get far enough in them is given more."""
    seconds, found = first, read(first)
    while found != wanted(seconds) and seconds < 100 * first:
        seconds *= 10
        found = read(seconds)
    assert found == wanted(seconds)
