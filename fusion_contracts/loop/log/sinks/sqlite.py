"""Entries in an SQLite file, which several processes may share."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fusion_contracts.loop.log.entry import COLUMNS, Entry
from fusion_contracts.loop.patient import run_patiently

__all__ = ["SqliteSink"]

_TABLE = f"CREATE TABLE IF NOT EXISTS fusion_calls ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})"
_INSERT = f"INSERT INTO fusion_calls ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_PATIENCE = 5.0  # seconds to wait for another process that writes


class SqliteSink:
    """Appends to a table of a file, in write-ahead mode: readers and other processes go on beside it.

    A crash of the machine may lose the last moments, a crash of the process nothing that was written.
    """

    direct = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path.absolute()  # the program may change its folder
        self._connection: sqlite3.Connection | None = None

    def write(self, entries: Sequence[Entry], /) -> None:
        """Write a batch in one transaction. Raises OSError or sqlite3.Error."""
        rows = [entry.row() for entry in entries]
        try:
            with self._connected() as connection:  # commits, or rolls back
                connection.executemany(_INSERT, rows)
        except BaseException:
            self.close()
            raise

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._ignored()
            self._connection = sqlite3.connect(self._path, timeout=_PATIENCE)
            for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _TABLE):
                run_patiently(self._connection, statement, _PATIENCE)
        return self._connection

    def _ignored(self) -> None:
        """Keep a log in a project's `.fusion` out of git; the releases beside it are committed."""
        if self._path.parent.name == ".fusion":
            with suppress(FileExistsError), (self._path.parent / ".gitignore").open("x", encoding="utf-8") as file:
                file.write(f"{self._path.name}*\n")

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
