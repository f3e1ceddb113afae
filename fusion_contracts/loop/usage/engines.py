"""What answers the queries: which engine a log has, by its name and its first bytes."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from glob import glob
from pathlib import Path
from typing import Protocol

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.usage.queries import Query, Rows

__all__ = ["Engine", "files_of", "opened"]

_SQLITE = b"SQLite format 3\0"
_MAGIC = re.compile(r"[*?\[]")


class Engine(Protocol):
    """Something that answers a query. `notes` are what a reader of the answers must know."""

    notes: list[str]

    def rows(self, query: Query) -> Rows:
        """The rows of an answer, by column. Raises FusionError."""


def opened(log: str) -> AbstractContextManager[Engine]:
    """The engine of a log: a file, files by a pattern, or a URL. It only reads.

    SQLite needs nothing more. JSON lines, Parquet and DuckDB files, PostgreSQL and every other URL that Ibis knows need
    the extra `report`. Raises FusionError, at once or when it is entered, where there is no such log, or it cannot be
    read.
    """
    if "://" in log:
        from fusion_contracts.loop.usage.ibis_log import ibis_log

        return ibis_log(log)
    path = Path(log)
    is_pattern = bool(_MAGIC.search(log)) and not path.is_file()
    if not is_pattern and path.exists() and not path.is_file():
        raise FusionError(f"{printable(log)} is not a plain file", "name a log: fusion report LOG")
    if not is_pattern and not path.is_file():
        raise FusionError(f"there is no log at {printable(log)}", "name one: fusion report LOG")
    begins = b"" if is_pattern else _begins(path)
    if begins == _SQLITE:
        from fusion_contracts.loop.usage.sqlite_log import sqlite_log

        return sqlite_log(log)
    from fusion_contracts.loop.usage.duckdb_log import FILES, duckdb_log

    if path.suffix not in FILES:
        if not begins and not is_pattern:
            raise FusionError(f"{printable(log)} is empty", "name a log that ErrorLog wrote")
        raise FusionError(f"{printable(log)} is no log: neither SQLite nor {', '.join(sorted(FILES))}", "name a log")
    if is_pattern and not glob(log):  # noqa: PTH207 - the pattern may be absolute
        raise FusionError(f"no file fits {printable(log)}", "name a log: fusion report LOG")
    return duckdb_log(log)


def files_of(log: str, folder: str) -> list[str]:
    """The files that a log's name stands for, from that folder on: itself, and what it fits as a pattern."""
    return [log, *(glob(log, root_dir=folder) if _MAGIC.search(log) else ())]  # noqa: PTH207 - it may be absolute


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE))
    except OSError as error:
        reason = (error.strerror or "the system refused").lower()
        raise FusionError(f"cannot read {printable(str(path))}: {reason}", "correct its permissions") from None
