"""Where events go: standard output, and a file of JSON lines. `webhook` is the third."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO, Protocol

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import fitted
from fusion_contracts.cli.watching.events import line, told
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject
from fusion_contracts.record import record

__all__ = ["Lines", "NotTakenError", "Printed", "Sink"]

_TAIL = 2**20  # bytes at the end of a file in which lines stand that may not have been noted


class NotTakenError(Exception):
    """An event was not taken; the text says why.

    `wait` is how many seconds the other side asks for, `alone` that it concerns this event and not the next ones.
    """

    def __init__(self, why: str, *, wait: float | None = None, alone: bool = False) -> None:
        super().__init__(why)
        self.wait = wait
        self.alone = alone


class Sink(Protocol):
    """Takes one event after another, in a thread of its own. `name` is what the ledger knows it by."""

    @property
    def name(self) -> str:
        """The same in every run."""
        ...

    def put(self, one: JsonObject) -> None:
        """Take an event. Raises NotTakenError; BrokenPipeError where nobody will read any more."""
        ...


@record
class Printed:
    """Standard output, for people or, with `machine`, a JSON object a line."""

    machine: bool
    name: str = "stdout"

    def put(self, one: JsonObject) -> None:
        """Print an event."""
        try:
            sys.stdout.write(line(one) if self.machine else fitted(told(one), sys.stdout))
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            reason = (error.strerror or "the system refused").lower()
            raise NotTakenError(f"cannot write to standard output: {reason}") from None


@record
class Lines:
    """A file of JSON lines, appended to. It is opened for each event, so that another program may rotate it.

    A line that a kill cut short is taken away before the next is written, and those that were written whole, and not
    noted any more, are not written again. They are looked for where they can be: `delivery` hands on less than that.
    """

    path: Path

    @property
    def name(self) -> str:
        """The file's whole path: another file was told nothing yet."""
        return f"file:{os.path.realpath(self.path)}"

    def require(self) -> None:
        """Raise FusionError where nothing can be appended."""
        try:
            self._opened().close()
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or "it has no name for a file").lower()
            message = f"cannot append to {printable(str(self.path))}: {reason}"
            raise FusionError(message, "check the path and its permissions", stage="usage") from None

    def put(self, one: JsonObject) -> None:
        """Append an event. A line is there as a whole, or not at all."""
        data = line(one).encode("ascii")
        try:
            with self._opened() as file:
                end = file.seek(0, os.SEEK_END)
                start = max(0, end - max(_TAIL, len(data)))
                file.seek(start)
                tail = file.read(end - start)
                if b"\n" + data in tail or tail.startswith(data):
                    return
                half = tail.rpartition(b"\n")[2]
                if half and data.startswith(half):  # a kill came in the middle of this event
                    end -= len(half)
                    file.truncate(end)
                elif half:  # it is none of ours, and stays
                    data = b"\n" + data
                self._append(file, data, end)
        except OSError as error:
            reason = (error.strerror or "the system refused").lower()
            raise NotTakenError(f"cannot append to it: {reason}") from None

    def _append(self, file: BinaryIO, data: bytes, end: int) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(end)  # a full disk: no half line
            raise

    def _opened(self) -> BinaryIO:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        return open(os.open(self.path, flags, 0o666), "r+b", buffering=0)  # noqa: PTH123 - a descriptor
