"""Logs in files that DuckDB reads, embedded: JSON lines, Parquet, its own.

It is asked directly: by Ibis the same answers take more than a second longer, for as long loads Ibis.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log.entry import COLUMNS
from fusion_contracts.loop.usage.queries import READ, TABLE, Query, Rows
from fusion_contracts.loop.usage.refusals import checked, require, unreadable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FILES", "LINES", "PARQUET", "DuckdbLog", "duckdb_log"]

LINES, PARQUET = frozenset({".jsonl", ".ndjson"}), frozenset({".parquet"})
FILES = LINES | PARQUET | {".duckdb", ".ddb"}

_COLUMNS = ", ".join(f"{name}: '{COLUMNS[name]}'" for name in READ)
# Lines are parsed once, however many questions follow. What is no entry becomes a row of nulls.
_OF_LINES = f"CREATE TABLE {TABLE} AS SELECT * FROM read_json(?, format = 'newline_delimited', columns = {{{_COLUMNS}}}, ignore_errors = true)"  # noqa: E501
_ALWAYS = ("id", "time_us", "run", "server", "action", "outcome", "stopped")
_NO_ENTRIES = f"DELETE FROM {TABLE} WHERE {' OR '.join(f'{name} IS NULL' for name in _ALWAYS)}"
_OF_PARQUET = f"CREATE VIEW {TABLE} AS SELECT * FROM read_parquet('{{}}', union_by_name = true)"


class DuckdbLog:
    """An engine (see `engines.Engine`) for files."""

    def __init__(self, connection: DuckDBPyConnection, log: str) -> None:
        self.notes: list[str] = []
        self._connection, self._log = connection, log

    def rows(self, query: Query) -> Rows:
        """As `Engine.rows`."""
        try:
            found = self._connection.execute(query.sql)
            names = [column[0] for column in found.description or ()]
            rows: Rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        except Exception as error:  # noqa: BLE001 - the engine has many, and they change
            raise unreadable(self._log, error) from None
        return checked(rows, query, self._log)

    def read(self, kind: str) -> None:
        """Read the files of that ending under the table's name."""
        if kind in PARQUET:
            self._connection.execute(_OF_PARQUET.format(self._log.replace("'", "''")))
        elif kind in LINES:
            self._connection.execute(_OF_LINES, [self._log])
            self._pass_over()

    def _pass_over(self) -> None:
        """Leave out the lines that are no entries, and say so. Raises FusionError where none is one."""
        passed_over = self._connection.execute(_NO_ENTRIES).fetchall()[0][0]
        if not passed_over:
            return
        if self._connection.execute(f"SELECT 1 FROM {TABLE} LIMIT 1").fetchone() is None:
            message = f"{printable(self._log)} is no log: none of its lines is an entry"
            raise FusionError(message, "name a log that ErrorLog wrote")
        are = "line is no entry, and was" if passed_over == 1 else "lines are no entries, and were"
        self.notes.append(f"{passed_over:,} {are} passed over")


@contextmanager
def duckdb_log(log: str) -> Iterator[DuckdbLog]:
    """The engine of a file, or of files by a pattern, which are only read. Raises FusionError."""
    require("duckdb", log)
    import duckdb

    kind = Path(log).suffix
    own = kind not in LINES | PARQUET
    with TemporaryDirectory() as folder:  # for what does not fit into memory; by itself it would be the user's folder
        try:
            connection = duckdb.connect(log if own else ":memory:", read_only=own)
        except duckdb.Error as error:
            raise unreadable(log, error) from None
        with closing(connection):
            engine = DuckdbLog(connection, log)
            try:
                connection.execute("SET temp_directory = ?", [folder])
                connection.execute("SET preserve_insertion_order = false")
                if own:  # it may hold views, which then read nothing but it
                    connection.execute("SET enable_external_access = false")
                engine.read(kind)
            except duckdb.Error as error:
                raise unreadable(log, error) from None
            yield engine
