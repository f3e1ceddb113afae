"""What tests of processes share: whether one runs, and waiting for something that others do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


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
