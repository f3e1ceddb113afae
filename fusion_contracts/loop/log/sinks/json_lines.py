"""Entries as lines of JSON, appended to a file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from fusion_contracts.loop.log.entry import Entry

__all__ = ["JsonLinesSink"]


class JsonLinesSink:
    """Appends an object a line, in ASCII. The file is opened for each batch, so that it may be moved away meanwhile.

    Several processes may append to one file: a batch is one write.
    """

    direct = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path.absolute()
        self._broken = False

    def write(self, entries: Sequence[Entry], /) -> None:
        """Append a batch. Raises OSError; a line that was cut off by it stays alone on its line."""
        text = "".join(json.dumps(entry.record(), separators=(",", ":")) + "\n" for entry in entries)
        data = (b"\n" if self._broken else b"") + text.encode("ascii")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            written = os.write(file, data)
        finally:
            os.close(file)
        self._broken = written < len(data)
        if self._broken:
            raise OSError(f"only {written} of {len(data)} bytes were taken")

    def close(self) -> None:
        """Nothing stays open."""
