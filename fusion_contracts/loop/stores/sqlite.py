"""A store in one SQLite file: the default. All processes of a machine share it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fusion_contracts.canonical import printable
from fusion_contracts.loop.patient import run_patiently
from fusion_contracts.loop.stores.base import StoreError, checked_ttl, key_bytes
from fusion_contracts.loop.stores.per_process import PerProcess

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["SQLiteStore", "Synchronous"]

Synchronous: TypeAlias = Literal["full", "normal"]
"""`full`: what was written survives a loss of power. `normal`: it survives the process; writes wait for no disk."""

_PATIENCE = 30.0  # seconds for which a call waits for another process's write
_SWEEP = 256  # writes after which expired values are removed
_TABLE = (
    "CREATE TABLE IF NOT EXISTS fusion_store (key BLOB PRIMARY KEY, value BLOB NOT NULL, expires REAL) STRICT",
    "CREATE INDEX IF NOT EXISTS fusion_store_expires ON fusion_store (expires) WHERE expires IS NOT NULL",
)
_STANDS = "(expires IS NULL OR expires > :now)"
_GET = f"SELECT value FROM fusion_store WHERE key = :key AND {_STANDS}"  # noqa: S608 - all of it stands here
_CREATE = """
    INSERT INTO fusion_store (key, value, expires) VALUES (:key, :new, :expires)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires
    WHERE fusion_store.expires <= :now
"""
_CHANGE = f"UPDATE fusion_store SET value = :new, expires = :expires WHERE key = :key AND value = :old AND {_STANDS}"  # noqa: S608
_DELETE = f"DELETE FROM fusion_store WHERE key = :key AND value = :old AND {_STANDS}"  # noqa: S608
_EXPIRE = "DELETE FROM fusion_store WHERE expires <= :now"


class SQLiteStore:
    """Values in a file, shared by threads and processes of one machine; not over a network file system.

    Each change is one statement, which SQLite makes whole or not at all, also when the process is killed. The file is
    readable by its owner alone, and may hold other tables.
    """

    blocking = True

    def __init__(
        self, path: str | Path, *, synchronous: Synchronous = "full", clock: Callable[[], float] = time.time
    ) -> None:
        """`path` is opened at the first use. `clock` gives seconds that all processes share: the machine's time.

        Raises ValueError on another word for `synchronous`.
        """
        if synchronous not in ("full", "normal"):
            raise ValueError(f"synchronous must be full or normal, not {synchronous!r:.40}")
        self._path = Path(path)
        self._synchronous = synchronous
        self._clock = clock
        self._lines = PerProcess(_Line)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._path)!r})"

    def get(self, key: str) -> bytes | None:
        """As `Store.get`."""
        with self._connected() as line:
            row = line.run(_GET, key=key_bytes(key), now=self._clock()).fetchone()
        return None if row is None else bytes(row[0])

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        """As `Store.replace`."""
        seconds = checked_ttl(ttl)
        if old is None and new is None:
            return self.get(key) is None
        statement = _CREATE if old is None else _DELETE if new is None else _CHANGE
        with self._connected() as line:
            now = self._clock()
            expires = None if seconds is None else now + seconds
            values = {"key": key_bytes(key), "old": old, "new": new, "now": now, "expires": expires}
            done: bool = line.run(statement, **values).rowcount == 1
            if done:
                line.sweep(now)
        return done

    def close(self) -> None:
        """As `Store.close`."""
        self._lines.here().close()

    @contextmanager
    def _connected(self) -> Iterator[_Line]:
        """This process's connection, for one thread at a time. Raises StoreError on whatever SQLite says."""
        import sqlite3

        line = self._lines.here()
        with line.lock:
            try:
                if line.connection is None:
                    line.connection = _connection(self._path, self._synchronous)
                yield line
            except (sqlite3.Error, OSError) as error:
                why = printable(str(error)) or type(error).__name__
                raise StoreError(
                    f"the store {printable(str(self._path))} cannot be used ({why})",
                    "check that its folder exists, that both can be written, and that it is a file of SQLite",
                ) from error


class _Line:
    """One process's connection, and the lock that its threads take turns by."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.connection: Connection | None = None
        self._writes = 0

    def run(self, statement: str, **values: Any) -> Any:
        assert self.connection is not None, "a line is run where it is connected"  # noqa: S101
        return self.connection.execute(statement, values)

    def sweep(self, now: float) -> None:
        """Remove what has expired, once in so many writes."""
        self._writes += 1
        if self._writes % _SWEEP == 0:
            self.run(_EXPIRE, now=now)

    def close(self) -> None:
        with self.lock:
            if self.connection is not None:
                self.connection.close()
                self.connection = None


def _connection(path: Path, synchronous: Synchronous) -> Connection:
    """A connection that commits each statement by itself, to a file that nobody else may read."""
    import sqlite3

    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        run_patiently(connection, "PRAGMA journal_mode = WAL", _PATIENCE)
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        for statement in _TABLE:
            run_patiently(connection, statement, _PATIENCE)
    except BaseException:
        connection.close()
        raise
    return connection
