"""A log at a URL, asked by Ibis, which translates the queries for the engine that is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.loop.usage.queries import Query, Rows
from fusion_contracts.loop.usage.refusals import checked, require, shown, unreadable

__all__ = ["IbisLog", "ibis_log"]

_FILES = frozenset({"file", "sqlite", "duckdb"})
_FORMS = "name a file, postgresql://HOST/DATABASE or another URL that Ibis knows"


class IbisLog:
    """An engine (see `engines.Engine`) for a database."""

    def __init__(self, backend: Any, log: str) -> None:
        self.notes: list[str] = []
        self._backend, self._log = backend, log

    def rows(self, query: Query) -> Rows:
        """As `Engine.rows`. The columns are said beforehand: else Ibis asks twice, and makes a view to do so."""
        schema = dict.fromkeys((*query.texts, *query.optional), "string") | dict.fromkeys(query.numbers, "int64")
        try:
            rows: Rows = self._backend.sql(query.sql, schema=schema, dialect="duckdb").to_pyarrow().to_pylist()
        except Exception as error:  # noqa: BLE001 - each engine has its own
            raise unreadable(self._log, error) from None
        return checked(rows, query, self._log)


@contextmanager
def ibis_log(url: str) -> Iterator[IbisLog]:
    """The engine at that URL. Raises FusionError."""
    backend = _connected(url)
    try:
        yield IbisLog(backend, url)
    finally:
        backend.disconnect()


def _connected(url: str) -> Any:
    kind = url.partition("://")[0]
    if kind in _FILES:  # Ibis would make the file where it is missing
        raise FusionError(f"{shown(url)} is a file", "name it by its path: fusion report PATH", stage="usage")
    require("ibis", url)
    extra = "postgres" if kind == "postgresql" else kind
    if extra not in entry_points(group="ibis.backends").names:
        raise FusionError(f"no engine reads {shown(url)}", _FORMS, stage="usage")
    import ibis

    try:
        return ibis.connect(url)
    except ImportError:
        message = f"reading {shown(url)} needs what Ibis has for {extra}, which is not installed"
        raise FusionError(message, f"pip install 'ibis-framework[{extra}]'", stage="usage") from None
    except Exception as error:  # noqa: BLE001 - each engine has its own
        raise unreadable(url, error, next_="check that it runs and lets you in") from None
