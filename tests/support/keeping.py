"""What the tests of the error log share: a sink that keeps entries, and what is kept of calls."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from fusion_contracts.loop.log import Entry, ErrorLog
from fusion_contracts.loop.log.entry import COLUMNS

NOW = 1_793_000_000.0


class Kept:
    """A sink that keeps what it is given."""

    name = "kept"
    direct = False

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.fails = 0

    def write(self, entries: Sequence[Entry], /) -> None:
        if self.fails:
            self.fails -= 1
            raise OSError("the disk\x1b[31m is full\nand more")
        self.entries += entries

    def close(self) -> None:
        """Nothing is open."""


def kept(*errors: Any, log: dict[str, Any] | None = None, **given: Any) -> list[dict[str, Any]]:
    """What is kept of calls of `close` in the run `r`, without numbers and times."""
    sink = Kept()
    with ErrorLog(sink, clock=lambda: NOW, **log or {}) as told:
        for error in errors:
            told.record(error, **{"run": "r", "action": "close"} | given)
    records = [entry.record() for entry in sink.entries]
    assert [record.pop("time_us") for record in records] == [int(NOW * 1e6) + n for n in range(len(errors))]
    assert len({record.pop("id") for record in records}) == len(errors)
    return records


PLAIN = {"run": "r", "server": "", "tool": "close", "action": "close", "deltas": 0, "stopped": 0}
FAILED = PLAIN | {"outcome": "execution_error", "severity": "error", "attempt": 1}


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {', '.join(COLUMNS)} FROM fusion_calls ORDER BY time_us").fetchall()
