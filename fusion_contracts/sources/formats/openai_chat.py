"""OpenAI's chat completions: `{"type": "function", "function": {"name": ..., "parameters": {...}}}`."""

from __future__ import annotations

from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.formats.openai_responses import as_mcp

__all__ = ["TITLE", "tools"]

TITLE = "OpenAI chat"


def tools(entry: JsonObject) -> list[JsonValue] | None:
    """The function of an entry."""
    function = entry.get("function")
    if entry.get("type", "function") != "function" or not isinstance(function, dict):
        return None
    return [as_mcp({**function, **{key: value for key, value in entry.items() if key not in {"type", "function"}}})]
