"""A store in PostgreSQL, for many machines, as durable as the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

from fusion_contracts.loop.stores.address import no_answer, shown
from fusion_contracts.loop.stores.base import StoreError, checked_ttl, key_bytes
from fusion_contracts.loop.stores.per_process import PerProcess

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

__all__ = ["PostgresStore"]

_SWEEP = 256  # writes after which expired values are removed
_PATIENCE = {"connect_timeout": 5, "tcp_user_timeout": 10_000}  # seconds; milliseconds; the URL may say otherwise
_LOCK = 7_310_874_260_651_907_157  # of the database, while one process makes the table: any number that no other takes
_TABLE = """
    CREATE TABLE IF NOT EXISTS fusion_store (key bytea PRIMARY KEY, value bytea NOT NULL, expires timestamptz);
    CREATE INDEX IF NOT EXISTS fusion_store_expires ON fusion_store (expires) WHERE expires IS NOT NULL
"""
_STANDS = "(expires IS NULL OR expires > clock_timestamp())"
_END = "clock_timestamp() + make_interval(secs => %(ttl)s::float8)"  # null where there is no ttl
_GET = f"SELECT value FROM fusion_store WHERE key = %(key)s AND {_STANDS}"  # noqa: S608 - all of it stands here
_CREATE = f"""
    INSERT INTO fusion_store (key, value, expires) VALUES (%(key)s, %(new)s, {_END})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires
    WHERE fusion_store.expires <= clock_timestamp()
"""  # noqa: S608
_CHANGE = f"UPDATE fusion_store SET value = %(new)s, expires = {_END} WHERE key = %(key)s AND value = %(old)s AND {_STANDS}"  # noqa: E501, S608
_DELETE = f"DELETE FROM fusion_store WHERE key = %(key)s AND value = %(old)s AND {_STANDS}"  # noqa: S608
_EXPIRE = "DELETE FROM fusion_store WHERE expires <= clock_timestamp()"


class PostgresStore:
    """Values in the table `fusion_store`, which is made where it is missing.

    Each change is one statement in a transaction of its own. A process holds one connection, which its threads take
    turns on; one that broke is opened anew by the next call.
    """

    blocking = True

    def __init__(self, url: str) -> None:
        """`url` as libpq reads it (`postgresql://USER:PASSWORD@HOST/DATABASE`); connected to at the first use.

        Raises StoreError where psycopg is not installed or cannot read the URL.
        """
        self._url = url
        self._options = _connecting(url)
        self._lines = PerProcess(_Line)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._url)!r})"

    def get(self, key: str) -> bytes | None:
        """As `Store.get`. Asked twice where the connection broke: reading changes nothing."""
        try:
            return self._get(key)
        except StoreError:
            return self._get(key)

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        """As `Store.replace`."""
        seconds = checked_ttl(ttl)
        if old is None and new is None:
            return self.get(key) is None
        statement = _CREATE if old is None else _DELETE if new is None else _CHANGE
        with self._connected() as line:
            done = line.run(statement, key=key_bytes(key), old=old, new=new, ttl=seconds).rowcount == 1
            if done:
                line.sweep()
        return done

    def close(self) -> None:
        """As `Store.close`."""
        line = self._lines.here()
        with line.lock:
            line.close()

    def _get(self, key: str) -> bytes | None:
        with self._connected() as line:
            row = line.run(_GET, key=key_bytes(key)).fetchone()
        return None if row is None else bytes(row[0])

    @contextmanager
    def _connected(self) -> Iterator[_Line]:
        """This process's connection, for one thread at a time. Raises StoreError where the server fails."""
        from psycopg import Error

        line = self._lines.here()
        with line.lock:
            try:
                if line.connection is None:
                    line.connection = _connection(self._options)
                yield line
            except (Error, OSError) as error:
                line.close()
                raise no_answer(self._url, error) from error


class _Line:
    """One process's connection, and the lock that its threads take turns by."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.connection: Connection[Any] | None = None
        self._writes = 0

    def run(self, statement: str, **values: Any) -> Cursor[Any]:
        assert self.connection is not None, "a line is run where it is connected"  # noqa: S101
        return self.connection.execute(statement.encode(), values)

    def sweep(self) -> None:
        """Remove what has expired, once in so many writes."""
        self._writes += 1
        if self._writes % _SWEEP == 0:
            self.run(_EXPIRE)

    def close(self) -> None:
        if self.connection is not None:
            with suppress(Exception):  # it is broken already
                self.connection.close()
            self.connection = None


def _connecting(url: str) -> dict[str, Any]:
    """What libpq is told. Raises StoreError, with nothing of the URL but what may be shown."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise StoreError("psycopg is not installed", "pip install 'fusion-contracts[postgres]'") from None
    try:
        options = {**_PATIENCE, **conninfo_to_dict(url)}
        [int(port) for port in str(options.get("port") or 0).split(",")]  # or part of a password with a slash
    except (ProgrammingError, ValueError):
        next_ = "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with what is special in a password as %XX"
        raise StoreError(f"{shown(url)} is no URL of PostgreSQL", next_) from None
    return options


def _connection(options: dict[str, Any]) -> Connection[Any]:
    """A connection that commits each statement by itself, to a database that has the table."""
    from psycopg import connect

    # Nothing is prepared on the server: a pooler may hand the next statement to another connection.
    connection = connect(**options, autocommit=True, prepare_threshold=None)
    try:
        if connection.execute(b"SELECT to_regclass('fusion_store')").fetchall() == [(None,)]:
            with connection.transaction():  # two that make one table at once would meet in the catalog
                connection.execute(b"SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                connection.execute(_TABLE.encode())
    except BaseException:
        connection.close()
        raise
    return connection
