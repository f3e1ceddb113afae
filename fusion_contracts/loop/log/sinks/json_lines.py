"""Entries as lines of JSON, appended to a file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

from fusion_contracts.loop.log.entry import Entry

__all__ = ["JsonLinesSink"]

_LOOKS, _BETWEEN = 100, 0.01  # at a line without an end, and seconds: another process may just be writing it
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # opened or refused: else opening a pipe waits for a reader


class JsonLinesSink:
    """Appends an object a line, in ASCII. The file is opened for each batch, so that it may be moved away meanwhile.

    Several processes may append to one file: a batch is one write. A pipe that nobody reads is no file to wait for.
    """

    direct = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path.absolute()

    def write(self, entries: Sequence[Entry], /) -> None:
        """Append a batch. Raises OSError; a line that was cut off, by that or by a kill, stays alone on its line."""
        text = "".join(json.dumps(entry.record(), separators=(",", ":")) + "\n" for entry in entries)
        data = (b"\n" if self._is_cut_off() else b"") + text.encode("ascii")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _AT_ONCE, 0o666)
        try:
            if _AT_ONCE:
                os.set_blocking(file, True)
            written = os.write(file, data)
        finally:
            os.close(file)
        if written < len(data):
            raise OSError(f"only {written} of {len(data)} bytes were taken")

    def _is_cut_off(self) -> bool:
        """Whether the last line that is there stays without an end."""
        for left in reversed(range(_LOOKS)):
            if self._ends_a_line():
                return False
            if left:
                time.sleep(_BETWEEN)
        return True

    def _ends_a_line(self) -> bool:
        """Whether what is there ends with a line, as far as that can be read: a pipe is none of ours to read."""
        if not self._path.is_file():
            return True
        try:
            with self._path.open("rb") as file:
                file.seek(-1, os.SEEK_END)
                return file.read(1) == b"\n"
        except OSError:  # it is empty, or may not be read
            return True

    def close(self) -> None:
        """Nothing stays open."""
