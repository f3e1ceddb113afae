"""The pages of a list, followed to the last."""

from __future__ import annotations

from collections.abc import Iterator

from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.jsonrpc import Connection, RefusedError

__all__ = ["pages"]

_MAX_PAGES = 1000


def pages(connection: Connection, deadline: float, method: str, key: str) -> Iterator[JsonValue]:
    """Every entry of a paged list, asked for until `deadline`. Raises FusionError when the pages do not end."""
    cursors: set[str] = set()
    cursor: str | None = None
    before: JsonValue = None
    for _ in range(_MAX_PAGES):
        page = _page(connection, deadline, method, cursor)
        entries = page.get(key)
        if not isinstance(entries, list):
            raise FusionError(f"answers {method} without a list of {key}", "correct the server", stage="list")
        if cursor == "" and entries == before:
            return  # an empty cursor is a cursor, but some servers mean the end by it and give the same page again
        yield from entries
        cursor, before = page.get("nextCursor"), entries
        if cursor is None:
            return
        if not isinstance(cursor, str):
            message = f"answers {method} with a nextCursor that is no text"
            raise FusionError(message, "correct the server", stage="list")
        if cursor in cursors:
            message = f"pages for ever: {method} gives a nextCursor that it gave before"
            raise FusionError(message, "leave nextCursor out of the last page", stage="list")
        cursors.add(cursor)
    message = f"pages for ever: {method} has more than {_MAX_PAGES} pages"
    raise FusionError(message, "leave nextCursor out of the last page, or send larger pages", stage="list")


def _page(connection: Connection, deadline: float, method: str, cursor: str | None) -> JsonObject:
    try:
        return connection.call(method, {} if cursor is None else {"cursor": cursor}, deadline)
    except RefusedError as refusal:
        if cursor == "":
            return {"tools": [], "prompts": [], "resources": [], "resourceTemplates": []}  # it meant the end
        if cursor is not None:
            raise FusionError(f"{refusal} on a later page", "look at the server's own log", stage="list") from None
        raise
