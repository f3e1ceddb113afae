"""Entries in a table of PostgreSQL, for programs on several machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fusion_contracts.loop.log.entry import COLUMNS, Entry

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresSink"]

_TYPES = ", ".join(f"{name} {kind}{' PRIMARY KEY' if name == 'id' else ''}" for name, kind in COLUMNS.items())
_TABLE = f"CREATE TABLE IF NOT EXISTS fusion_calls ({_TYPES})"
_INSERT = (
    f"INSERT INTO fusion_calls ({', '.join(COLUMNS)}) VALUES ({', '.join(['%s'] * len(COLUMNS))}) "
    "ON CONFLICT (id) DO NOTHING"  # a batch that was written though the answer was lost is sent again
)
_LOCK = "SELECT pg_advisory_xact_lock(7303014)"  # two that create a table at once would collide
_PATIENCE = 5  # seconds to connect


class PostgresSink:
    """Appends to the table `fusion_calls`, which it creates where it is missing.

    A connection that was lost while nothing was written is made again, once a batch.
    """

    direct = False

    def __init__(self, url: str) -> None:
        self._url = url
        host = urlsplit(url).hostname
        self.name = f"postgresql://{host or ''}"
        self._connection: psycopg.Connection | None = None

    def write(self, entries: Sequence[Entry], /) -> None:
        """Write a batch in one transaction. Raises psycopg.Error."""
        import psycopg

        rows = [entry.row() for entry in entries]
        known = self._connection is not None
        try:
            self._insert(rows)
        except psycopg.OperationalError:
            self.close()
            if not known:
                raise
            self._insert(rows)

    def _insert(self, rows: Sequence[tuple[object, ...]]) -> None:
        connection = self._connected()
        try:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(_INSERT, rows)
        except BaseException:
            self.close()
            raise

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            import psycopg

            connection = psycopg.connect(self._url, autocommit=True, connect_timeout=_PATIENCE)
            try:
                with connection.transaction():
                    connection.execute(_LOCK)
                    connection.execute(_TABLE)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
