"""A log in an SQLite file, asked by the standard library."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from fusion_contracts.loop.usage.queries import Query, Rows
from fusion_contracts.loop.usage.refusals import checked, unreadable

__all__ = ["SqliteLog", "sqlite_log"]


class SqliteLog:
    """An engine (see `engines.Engine`) for one file."""

    def __init__(self, connection: sqlite3.Connection, log: str) -> None:
        self.notes: list[str] = []
        self._connection, self._log = connection, log

    def rows(self, query: Query) -> Rows:
        """As `Engine.rows`."""
        try:
            rows: Rows = [dict(row) for row in self._connection.execute(query.sql)]
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise unreadable(self._log, error) from None
        return checked(rows, query, self._log)


@contextmanager
def sqlite_log(log: str) -> Iterator[SqliteLog]:
    """The engine of that file, which is only read. Raises FusionError."""
    try:
        connection = sqlite3.connect(f"file:{quote(str(Path(log).absolute()))}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise unreadable(log, error) from None
    connection.row_factory = sqlite3.Row
    with closing(connection):
        yield SqliteLog(connection, log)
