"""Gemini: `{"functionDeclarations": [{"name": ..., "parameters": {"type": "OBJECT", ...}}]}`, and bare declarations.

`parameters` and `response` are the subset of OpenAPI 3.0 with types in capitals; `parametersJsonSchema` and
`responseJsonSchema` are JSON Schema as it is.
"""

from __future__ import annotations

from contextlib import suppress

from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["TITLE", "tools"]

TITLE = "Gemini"
_LISTS = ("functionDeclarations", "function_declarations")
_HOSTED = frozenset({
    "codeexecution", "computeruse", "enterprisewebsearch", "filesearch", "googlemaps", "googlesearch",
    "googlesearchretrieval", "mcpservers", "retrieval", "urlcontext",
})  # fmt: skip
_PLACES = (  # our key, the one for JSON Schema in both spellings, the one for the subset of OpenAPI
    ("inputSchema", ("parametersJsonSchema", "parameters_json_schema"), "parameters"),
    ("outputSchema", ("responseJsonSchema", "response_json_schema"), "response"),
)
_TAKEN = frozenset(key for _, json, plain in _PLACES for key in (*json, plain))
_NUMBERS = frozenset({"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"})
_TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})


def tools(entry: JsonObject) -> list[JsonValue] | None:
    """The functions that an entry declares, or the one that it is; nothing for a tool that Google runs."""
    for key in _LISTS:
        if isinstance(entry.get(key), list):
            return [_as_mcp(one) if isinstance(one, dict) else one for one in entry[key]]
    if "name" in entry and "type" not in entry and not _TAKEN.isdisjoint(entry):
        return [_as_mcp(entry)]
    hosted = bool(entry) and all(key.replace("_", "").lower() in _HOSTED for key in entry)
    return [] if hosted else None


def _as_mcp(declaration: JsonObject) -> JsonObject:
    found = {key: value for key, value in declaration.items() if key not in _TAKEN and value is not None}
    for ours, json, plain in _PLACES:
        given = next((declaration[key] for key in json if declaration.get(key) is not None), None)
        if given is None and declaration.get(plain) is not None:
            given = _schema(declaration[plain])
        if given is not None:
            found[ours] = given
    found.setdefault("inputSchema", {"type": "object", "properties": {}})
    return found


def _schema(schema: JsonValue) -> JsonValue:
    """A schema of the subset in JSON Schema; one that cannot be said there stays as it is."""
    from fusion_contracts.schema.dialect import Untranslatable, translate

    plain = _lowered(schema)
    with suppress(Untranslatable):
        return translate(plain, "openapi-3.0")
    return plain


def _lowered(schema: JsonValue) -> JsonValue:
    """Types in small letters, and numbers that the wire writes as texts as numbers."""
    if not isinstance(schema, dict):
        return schema
    found: JsonObject = {}
    for key, value in schema.items():
        if key == "type" and value in _TYPES:
            found[key] = value.lower()
        elif key in _NUMBERS and isinstance(value, str) and value.isdecimal():
            found[key] = int(value)
        elif key in {"properties", "$defs", "defs"} and isinstance(value, dict):
            found[key] = {name: _lowered(one) for name, one in value.items()}
        elif key in {"anyOf", "prefixItems"} and isinstance(value, list):
            found[key] = [_lowered(one) for one in value]
        elif key in {"items", "additionalProperties"}:
            found[key] = _lowered(value)
        elif key != "propertyOrdering":  # the order in which a model writes, which no call can break
            found[key] = value
    return found
