"""Anthropic's messages: `{"name": ..., "input_schema": {...}}`."""

from __future__ import annotations

from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["TITLE", "tools"]

TITLE = "Anthropic"
_DUMPED = frozenset({"title", "output_schema", "annotations", "execution", "meta", "_meta"})
_TRANSPORT = frozenset({"type", "cache_control"})
"""What says how a request is cached, and that the tool is one's own: nothing that an agent relies on."""


def tools(entry: JsonObject) -> list[JsonValue] | None:
    """The tool of an entry. What a Python program wrote of an MCP tool by field names has `input_schema` too."""
    if "input_schema" not in entry or not _DUMPED.isdisjoint(entry):
        return None
    found = {key: value for key, value in entry.items() if key not in _TRANSPORT and value is not None}
    schema = found.pop("input_schema", None)
    return [{key: value for key, value in found.items() if (key, value) != ("strict", False)} | {"inputSchema": schema}]
