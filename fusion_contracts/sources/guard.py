"""What ends the servers that this process started when it is killed, and cannot end them itself (Linux)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

from fusion_contracts.sources import strays

__all__ = ["guarded", "new_mark"]

_LOCK = threading.Lock()
_OWNERS: dict[int, str] = {}
_GUARDS: dict[int, subprocess.Popen[bytes]] = {}  # kept: its standard input is what it waits for


def _owner() -> str:
    """What the marks of this process begin with; a process that was forked has its own."""
    return _OWNERS.setdefault(os.getpid(), f"{os.urandom(8).hex()}-")


def new_mark() -> str:
    """A mark for one start of a server: no other start has it."""
    return f"{_owner()}{os.urandom(8).hex()}"


def guarded() -> None:
    """Let a process of its own watch over this one, once: when this one is gone, it ends what bears our marks.

    A server whose input ends seldom stays; this is for one that does. Elsewhere than on Linux nothing happens.
    """
    if sys.platform != "linux":
        return
    with _LOCK, suppress(OSError):  # without it a reading is no worse
        if os.getpid() not in _GUARDS:
            command = [sys.executable, "-I", "-S", strays.__file__, _owner()]
            null = subprocess.DEVNULL
            _GUARDS[os.getpid()] = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=null, stderr=null, cwd="/", start_new_session=True
            )
