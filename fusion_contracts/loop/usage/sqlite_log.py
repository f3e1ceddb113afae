"""A log in an SQLite file, asked by the standard library."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.usage.queries import TABLE, Query, Rows
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
            raise _refusal(self._log, error) from None
        return checked(rows, query, self._log)


@contextmanager
def sqlite_log(log: str) -> Iterator[SqliteLog]:
    """The engine of that file, which is only read. Raises FusionError."""
    try:
        connection = _connected(Path(log))
    except sqlite3.Error as error:
        raise _refusal(log, error) from None
    connection.row_factory = sqlite3.Row
    with closing(connection):
        _require_table(connection, log)
        yield SqliteLog(connection, log)


def _require_table(connection: sqlite3.Connection, log: str) -> None:
    """Raise FusionError for a log that is a view: anybody can make such a file, and one of those may count for ever."""
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        found = connection.execute("SELECT type FROM sqlite_schema WHERE LOWER(name) = ?", (TABLE,)).fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _refusal(log, error) from None
    if found is not None and found["type"] == "view":
        message = f"{printable(log)} holds {TABLE} as a view, and not as a table"
        raise FusionError(message, "name a log that ErrorLog wrote")


def _connected(path: Path) -> sqlite3.Connection:
    """A connection that reads.

    SQLite keeps files beside a log for that. Where it cannot, on a full disk or in a folder that takes no file, a log
    that nobody is writing is read without.
    """
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(address, uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_BUSY:  # somebody is writing it
            connection.close()
            raise
        beside = path.with_name(f"{path.name}-wal")
        if not beside.exists() or beside.stat().st_size == 0:  # all of it is in the log itself
            connection.close()
            return sqlite3.connect(f"{address}&immutable=1", uri=True)
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # damaged: told by the first question
        pass
    return connection


def _refusal(log: str, error: Exception) -> FusionError:
    code = _code(error) if isinstance(error, sqlite3.Error) else 0
    if code == sqlite3.SQLITE_BUSY:
        return unreadable(log, error, next_="run again when no program holds it")
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
        step = "copy it, and the file beside it whose name ends in -wal, to where you may write"
        return unreadable(log, error, next_=step)
    return unreadable(log, error)


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where Python raised by itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
