"""OpenAI's responses: `{"type": "function", "name": ..., "parameters": {...}, "strict": true}`."""

from __future__ import annotations

from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["TITLE", "as_mcp", "tools"]

TITLE = "OpenAI responses"
_NAMES = {"parameters": "inputSchema", "output_schema": "outputSchema"}


def tools(entry: JsonObject) -> list[JsonValue] | None:
    """The function of an entry; nothing for a tool that OpenAI runs, or one without arguments of its own."""
    kind = entry.get("type")
    if kind == "function" and "function" not in entry and "name" in entry:
        return [as_mcp({key: value for key, value in entry.items() if key != "type"})]
    hosted = isinstance(kind, str) and not entry.keys() & {"function", "parameters", "input_schema"}
    return [] if hosted and kind not in {"function", "object"} else None


def as_mcp(function: JsonObject) -> JsonObject:
    """A function with the names that MCP gives its parts. `strict` stays where it is on: off is what its absence says.

    A function without `parameters` takes no arguments.
    """
    named = {_NAMES.get(key, key): value for key, value in function.items() if value is not None}
    named.setdefault("inputSchema", {"type": "object", "properties": {}})
    return {key: value for key, value in named.items() if not (key == "strict" and value is False)}
