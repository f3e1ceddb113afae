"""What a reader is told of a log that cannot be read, without a secret of its URL."""

from __future__ import annotations

import re
from importlib.util import find_spec

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.usage.queries import TABLE, Query, Rows

__all__ = ["checked", "require", "shown", "unreadable"]

_NEXT = "name a log that ErrorLog wrote"
_NO_TABLE = re.compile(rf"\b{TABLE}\b.*(?:not exist|not found)|no such table: {TABLE}", re.IGNORECASE)
_NO_COLUMN = re.compile(r'no such column: "?(\w+)|column "(\w+)" (?:does not exist|not found)')
"""As SQLite says it, and as DuckDB and PostgreSQL do."""


def shown(log: str) -> str:
    """The name of a log as people may read it: of a URL without its user, password and query."""
    scheme, sign, rest = log.partition("://")
    return printable(f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}" if sign else log)


def unreadable(log: str, error: Exception, *, next_: str = _NEXT) -> FusionError:
    """What an engine said of a log: its first line, with nothing of the URL but what may be shown."""
    from fusion_contracts.sources.secrets import redact

    said = str(error).strip().partition("\n")[0]
    if _NO_TABLE.search(said):
        return FusionError(f"{shown(log)} holds no table {TABLE}", _NEXT)
    column = _NO_COLUMN.search(said)
    if column is not None:
        message = f"the table {TABLE} of {shown(log)} has no column {column[1] or column[2]}"
        return FusionError(message, "name a log that ErrorLog of this release wrote")
    reason = printable(redact(said.replace(log, shown(log)))[:200])
    return FusionError(f"cannot read {shown(log)}: {reason}", next_)


def checked(rows: Rows, query: Query, log: str) -> Rows:
    """The rows of an answer, where they hold what was asked for: a log may be anybody's. Raises FusionError."""
    kinds = [*((name, int) for name in query.numbers), *((name, str) for name in query.texts)]
    for row in rows:
        wrong = next((name for name, kind in kinds if type(row[name]) is not kind), None)
        wrong = wrong or next((name for name in query.optional if not isinstance(row[name], str | None)), None)
        if wrong is not None:
            message = f"{shown(log)} is not as ErrorLog writes it: {wrong} holds something else"
            raise FusionError(message, _NEXT)
    return rows


def require(module: str, log: str) -> None:
    """Raise FusionError where the library that reads a log is not installed."""
    if find_spec(module) is None:
        message = f"reading {shown(log)} needs {module}, which is not installed"
        raise FusionError(message, "pip install 'fusion-contracts[report]'", stage="usage")
