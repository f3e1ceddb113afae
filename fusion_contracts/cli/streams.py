"""The standard streams: there, whatever a caller closed, and given up where they take nothing more."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, RawIOBase, TextIOWrapper
from typing import TextIO

__all__ = ["SIGNAL", "give_up", "interrupted", "settle"]

SIGNAL = 128  # and the number of the signal that ended a command, as shells count


def settle() -> None:
    """Put the null device where a standard stream is closed.

    Else the next file that is opened gets its number, and what is printed goes into it, or what is told to people into
    a report. A terminal that cannot show a character gets its code, not a crash.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdin = sys.stdin or _opened(0, "r")
    sys.stdout = sys.stdout or _opened(1, "w")
    sys.stderr = sys.stderr or _opened(2, "w")
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, RawIOBase):
        sys.stdout = _whole(sys.stdout)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _whole(stream: TextIOWrapper) -> TextIOWrapper:
    """A stream for one that PYTHONUNBUFFERED made: of what a full disk or a pipe takes in part, that drops the rest."""
    pieces = BufferedWriter(FileIO(stream.fileno(), "w", closefd=False))
    return TextIOWrapper(pieces, encoding=stream.encoding, errors=stream.errors, line_buffering=True)


def _opened(number: int, mode: str) -> TextIO:
    return TextIOWrapper(FileIO(number, mode, closefd=False), encoding="utf-8", write_through=True)


def give_up(stream: TextIO) -> None:
    """Send what a stream still holds to nowhere: else Python complains at its end, and spoils the exit code."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def interrupted(number: int, placed: int = 0) -> int:
    """Print the last line of a command that a signal ended, and return its exit code.

    `placed` counts the files that were written before it began: what came since is named.
    """
    from fusion_contracts.canonical import printable

    file = sys.modules.get("fusion_contracts.lockfile.file")  # not loaded: nothing was written
    paths = ", ".join(printable(path.as_posix()) for path in file.placed[placed:]) if file else ""
    written = f"written: {paths}" if paths else "nothing was written"
    how = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    with suppress(OSError):
        sys.stdout.flush()
    try:
        print(f"exit {SIGNAL + number}: {how}; {written}", file=sys.stderr)
    except OSError:
        give_up(sys.stderr)
    return SIGNAL + number
