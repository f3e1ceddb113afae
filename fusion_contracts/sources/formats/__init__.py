"""How tools are written down besides MCP's own form: one file a format, and nothing else lists them.

A file has a `TITLE`, and `tools(entry)`: what one entry of a list of tools stands for as MCP would list it, None where
the entry has another form, and an empty list for a tool that the provider defines itself. A format whose document is no
list of tools has `listing(document, origin)` instead; None where the document has another form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fusion_contracts.canonical import printable, shortened
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.base import Listing

__all__ = ["document_listing", "is_tool", "mcp_tools"]

_MCP = "MCP"


@cache
def _formats() -> tuple[Any, ...]:
    return tuple(import_module(f"{__name__}.{found.name}") for found in sorted(iter_modules(__path__), key=str))


def is_tool(entry: JsonValue) -> bool:
    """Whether a value is a tool of some provider, or several, as its requests hold them."""
    return isinstance(entry, dict) and _read(entry)[0] != _MCP and bool(_read(entry)[1])


def mcp_tools(entries: Sequence[JsonValue], origin: str) -> tuple[list[JsonValue], tuple[str, ...]]:
    """A list of tools as MCP would list them, and notes. Raises FusionError where it mixes forms."""
    found: list[JsonValue] = []
    kinds: dict[str, str] = {}
    skipped: list[str] = []
    for position, entry in enumerate(entries, start=1):
        title, tools = _read(entry) if isinstance(entry, dict) else ("", [entry])
        named = _called(entry, tools, position)
        found += tools
        if not tools:
            skipped.append(named)
        elif title:
            kinds.setdefault(title, named)
    if len(kinds) > 1:
        (one, first), (other, second), *_ = kinds.items()
        message = f"{origin} mixes forms of tools: {first} is {_article(one)} tool, {second} {_article(other)} tool"
        raise FusionError(message, "keep one form in a file")
    if not skipped:
        return found, ()
    return found, (f"not part of the contract, since the provider defines them: {', '.join(skipped)}",)


def _read(entry: JsonObject) -> tuple[str, list[JsonValue]]:
    """The format of an entry, and its tools."""
    if "inputSchema" not in entry:
        for form in _formats():
            tools = form.tools(entry) if hasattr(form, "tools") else None
            if tools is not None:
                return form.TITLE, tools
    return _MCP, [entry]


def _called(entry: JsonValue, tools: Sequence[JsonValue], position: int) -> str:
    for one in (entry, *tools):
        for key in ("name", "type"):
            if isinstance(one, dict) and isinstance(one.get(key), str):
                return shortened(one[key])
    only = next(iter(entry)) if isinstance(entry, dict) and len(entry) == 1 else None
    return printable(only) if only else f"entry {position}"


def _article(title: str) -> str:
    return f"an {title}" if title[0] in "AEIOM" else f"a {title}"


def document_listing(document: JsonValue, origin: str) -> Listing | None:
    """What a document that is no list of tools offers; None where no format knows it. Raises FusionError."""
    for form in _formats() if isinstance(document, dict) else ():
        listing: Listing | None = form.listing(document, origin) if hasattr(form, "listing") else None
        if listing is not None:
            return listing
    return None
