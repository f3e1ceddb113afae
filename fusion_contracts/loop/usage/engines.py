"""What answers the queries: SQLite by the standard library, and every other engine by Ibis."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import quote

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log.entry import COLUMNS
from fusion_contracts.loop.usage.queries import TABLE, Query

__all__ = ["Engine", "opened", "shown"]

Rows: TypeAlias = list[Mapping[str, Any]]

_SQLITE = b"SQLite format 3\0"
_LINES, _PARQUET, _DUCKDB = {".jsonl", ".ndjson"}, {".parquet"}, {".duckdb", ".ddb"}
_MAGIC = re.compile(r"[*?\[]")


class Engine(Protocol):
    """Something that answers a query. `notes` are what a reader of the answers must know."""

    notes: list[str]

    def rows(self, query: Query) -> Rows:
        """The rows of an answer, by column. Raises FusionError."""


@contextmanager
def opened(log: str) -> Iterator[Engine]:
    """The engine of a log: a file, files by a pattern, or a URL. It only reads.

    SQLite needs nothing more. JSON lines, Parquet and DuckDB files, PostgreSQL and every other URL that Ibis knows need
    the extra `report`. Raises FusionError where there is no such log, or it cannot be read.
    """
    if "://" in log:
        with _connected(log) as engine:
            yield engine
        return
    path = Path(log)
    if not _MAGIC.search(log) and not path.is_file():
        raise FusionError(f"there is no log at {printable(log)}", "name one: fusion report LOG")
    if not _MAGIC.search(log) and _begins(path) == _SQLITE:
        with closing(_sqlite(path)) as connection:
            yield _Sqlite(connection, log)
        return
    with _of_files(log, path) as engine:
        yield engine


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE))
    except OSError as error:
        reason = (error.strerror or "the system refused").lower()
        raise FusionError(f"cannot read {printable(str(path))}: {reason}", "correct its permissions") from None


# --- SQLite ----------------------------------------------------------------------------------------------------------


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection, log: str) -> None:
        self.notes: list[str] = []
        self._connection, self._log = connection, log

    def rows(self, query: Query) -> Rows:
        try:
            return [dict(row) for row in self._connection.execute(query.sql)]
        except sqlite3.Error as error:
            raise _unreadable(self._log, error) from None


def _sqlite(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return connection


# --- Ibis ------------------------------------------------------------------------------------------------------------


class _Ibis:
    def __init__(self, backend: Any, log: str, *, forgiving: str = "") -> None:
        self.notes: list[str] = []
        self._backend, self._log, self._forgiving = backend, log, forgiving

    def rows(self, query: Query) -> Rows:
        try:
            return self._ask(query)
        except Exception as error:  # noqa: BLE001 - each engine has its own
            if not self._forgiving or "JSON" not in str(error):
                raise _unreadable(self._log, error) from None
        self._pass_over()
        return self.rows(query)

    def _ask(self, query: Query) -> Rows:
        """Ask, with the columns said beforehand: else Ibis asks twice, and makes a view in the database to do so."""
        schema = dict.fromkeys(query.texts, "string") | dict.fromkeys(query.numbers, "int64")
        table = self._backend.sql(query.sql, schema=schema, dialect="duckdb")
        found: Rows = table.to_pyarrow().to_pylist()
        return found

    def _pass_over(self) -> None:
        """Read again, without the lines that are no entries."""
        view, self._forgiving = self._forgiving, ""
        self._backend.raw_sql(view)
        (bad,) = self._ask(Query(f"SELECT COUNT(*) AS number FROM {TABLE}_read WHERE id IS NULL", numbers=("number",)))
        self.notes.append(f"{bad['number']:,} lines are no entries, and were passed over")


@contextmanager
def _connected(url: str) -> Iterator[Engine]:
    _require(shown(url))
    import ibis

    try:
        backend = ibis.connect(url)
    except Exception as error:  # noqa: BLE001 - each engine has its own
        raise _unreadable(url, error) from None
    try:
        yield _Ibis(backend, url)
    finally:
        backend.disconnect()


@contextmanager
def _of_files(log: str, path: Path) -> Iterator[Engine]:
    """Files that DuckDB reads, embedded."""
    kind = path.suffix
    if kind not in _LINES | _PARQUET | _DUCKDB:
        known = ", ".join(sorted(_LINES | _PARQUET | _DUCKDB))
        raise FusionError(f"{printable(log)} is no log: neither SQLite nor {known}", "name a log")
    if not glob(log) and not path.is_file():  # noqa: PTH207 - the pattern may be absolute
        raise FusionError(f"no file fits {printable(log)}", "name a log: fusion report LOG")
    _require(printable(log))
    import ibis

    try:
        backend = ibis.duckdb.connect(log, read_only=True) if kind in _DUCKDB else ibis.duckdb.connect()
    except Exception as error:  # noqa: BLE001 - the engine's own
        raise _unreadable(log, error) from None
    try:
        yield _of_duckdb(backend, log, kind)
    finally:
        backend.disconnect()


def _of_duckdb(backend: Any, log: str, kind: str) -> _Ibis:
    text = log.replace("'", "''")
    if kind in _DUCKDB:
        return _Ibis(backend, log)
    try:
        if kind in _PARQUET:
            backend.raw_sql(f"CREATE VIEW {TABLE} AS SELECT * FROM read_parquet('{text}', union_by_name = true)")
            return _Ibis(backend, log)
        backend.raw_sql(_lines(text, strict=True))
    except Exception as error:  # noqa: BLE001 - the engine's own
        raise _unreadable(log, error) from None
    return _Ibis(backend, log, forgiving=_lines(text, strict=False))


def _lines(text: str, *, strict: bool) -> str:
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    ignore = "" if strict else ", ignore_errors = true"
    read = f"read_json('{text}', format = 'newline_delimited', columns = {{{columns}}}{ignore})"
    if strict:
        return f"CREATE VIEW {TABLE} AS SELECT * FROM {read}"
    return (
        f"CREATE OR REPLACE VIEW {TABLE}_read AS SELECT * FROM {read}; "
        f"CREATE OR REPLACE VIEW {TABLE} AS SELECT * FROM {TABLE}_read WHERE id IS NOT NULL"
    )


def _require(what: str) -> None:
    if find_spec("ibis") is None:
        message = f"reading {what} needs ibis, which is not installed"
        raise FusionError(message, "pip install 'fusion-contracts[report]'", stage="usage")


def shown(log: str) -> str:
    """The name of a log as people may read it: of a URL without its user, password and query."""
    scheme, sign, rest = log.partition("://")
    return printable(f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}" if sign else log)


def _unreadable(log: str, error: Exception) -> FusionError:
    from fusion_contracts.sources.secrets import redact

    reason = printable(redact(str(error).strip().partition("\n")[0].replace(log, shown(log)))[:200])
    if TABLE in reason and ("no such table" in reason or "not exist" in reason or "not found" in reason.lower()):
        return FusionError(f"{shown(log)} holds no table {TABLE}", "name a log that ErrorLog wrote")
    return FusionError(f"cannot read {shown(log)}: {reason}", "name a log that ErrorLog wrote")
