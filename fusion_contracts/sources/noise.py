"""What a listing carries that no agent relies on: removed in the step from source to contract, here and nowhere else.

| noise | where | why |
|---|---|---|
| `_meta.fastmcp`, `_meta._fastmcp`, then an empty `_meta` | every entry | FastMCP's own, differs by its major |
| a `title` equal to the name beside it, or generated from it | every entry; properties, definitions | pydantic |
| a root `title` made of the name (`fetchArguments`, `fetch_args`), or `_WrappedResult` | schemas | generated models |
| `execution` that says its default: `{}`, `{"taskSupport": "forbidden"}` | tools | comes and goes with the protocol |
| snake_case wire names: `input_schema`, `read_only_hint` | all but schemas | a dump by field name |
| null for an optional field that the protocol names | all but schemas | absent means the same |
| the four digits in `FastMCP-1a2b`, the name of a server that has none | serverInfo | drawn at every start |
| `[]` for `annotations`, `execution`, `_meta` | every entry | how PHP writes `{}` |

Nothing else is removed: what no row names stays in the contract. Values are never changed in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from fusion_contracts.canonical import text_of
from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["capabilities_without_noise", "entry_without_noise", "info_without_noise", "tool_without_noise"]

_FRAMEWORK_META = frozenset({"fastmcp", "_fastmcp"})
_DEFAULT_EXECUTION: tuple[JsonObject, ...] = ({}, {"taskSupport": "forbidden"})
_MAPS = ("annotations", "execution", "_meta")
_GENERATED_ENDINGS = ("Arguments", "Args", "Output", "DictOutput")
_WRAPPER_TITLE = "_WrappedResult"

_TOOL_NAMES = {"input_schema": "inputSchema", "output_schema": "outputSchema"}
_HINT_NAMES = {
    "read_only_hint": "readOnlyHint",
    "destructive_hint": "destructiveHint",
    "idempotent_hint": "idempotentHint",
    "open_world_hint": "openWorldHint",
}
_EXECUTION_NAMES = {"task_support": "taskSupport"}
_ICON_NAMES = {"mime_type": "mimeType"}
_ENTRY_NAMES = {"mime_type": "mimeType", "uri_template": "uriTemplate"}
_INFO_NAMES = {"website_url": "websiteUrl"}
_CAPABILITY_NAMES = {"list_changed": "listChanged"}

_TOOL_OPTIONAL = ("title", "description", "outputSchema", "icons", *_MAPS)
_ENTRY_OPTIONAL = ("title", "description", "mimeType", "size", "arguments", "icons", "annotations", "_meta")
_DRAWN_NAME = re.compile(r"(?P<kind>FastMCP(?:Proxy)?)-[0-9a-f]{4}")
_INFO_OPTIONAL = ("title", "description", "websiteUrl", "icons")

# Where schemas stand in a schema, in older dialects too. The engine has such tables: most catalogs are read without it.
_SCHEMA_MAPS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies")
_SCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMAS = (
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_TITLED_MAPS = frozenset({"properties", "$defs", "definitions"})


def tool_without_noise(raw: JsonObject) -> JsonObject:
    """One tool as a server listed it, without noise. Malformed parts stay as they are."""
    tool = _renamed(raw, _TOOL_NAMES)
    if "input_schema" in raw and "inputSchema" not in raw and "_meta" not in raw:  # a dump by field name
        tool = {"_meta" if key == "meta" else key: value for key, value in tool.items()}
    tool = _without_nulls(tool, _TOOL_OPTIONAL)
    tool = _within(
        tool, "annotations", lambda hints: _without_nulls(_renamed(hints, _HINT_NAMES), _HINT_NAMES.values())
    )
    tool = _within(tool, "execution", lambda execution: _renamed(execution, _EXECUTION_NAMES))
    tool = _common(tool)
    if tool.get("execution") in _DEFAULT_EXECUTION:
        tool = _without(tool, "execution")
    for key in ("inputSchema", "outputSchema"):
        if isinstance(tool.get(key), dict) and b"title" in (text_of(tool[key]) or b"title"):  # looked for by C
            tool = {**tool, key: _schema_without_noise(tool[key], tool.get("name"))}
    return tool


def entry_without_noise(raw: JsonObject) -> JsonObject:
    """One prompt, resource or resource template, without noise."""
    return _common(_without_nulls(_renamed(raw, _ENTRY_NAMES), _ENTRY_OPTIONAL))


def info_without_noise(raw: JsonObject) -> JsonObject:
    """A server's description of itself, without noise."""
    info = _icons(_without_nulls(_renamed(raw, _INFO_NAMES), _INFO_OPTIONAL))
    name = info.get("name")
    drawn = _DRAWN_NAME.fullmatch(name) if isinstance(name, str) else None
    return {**info, "name": drawn["kind"]} if drawn else info


def capabilities_without_noise(raw: JsonObject) -> JsonObject:
    """A server's capabilities, without noise: a capability that is null is not there, an empty one is."""
    named = {key: value for key, value in raw.items() if value is not None}
    for key, value in named.items():
        if isinstance(value, dict):
            renamed = _renamed(value, _CAPABILITY_NAMES)
            named[key] = _without_nulls(renamed, ("listChanged", "subscribe"))
    return named


def _common(entry: JsonObject) -> JsonObject:
    """What every kind of entry may carry: framework metadata, a generated title, icons, PHP's empty maps."""
    for key in _MAPS:
        if entry.get(key) == []:
            entry = _without(entry, key)
    meta = entry.get("_meta")
    if isinstance(meta, dict):
        kept = {key: value for key, value in meta.items() if key not in _FRAMEWORK_META}
        entry = {**entry, "_meta": kept} if kept else _without(entry, "_meta")
    if _is_generated(entry.get("title"), entry.get("name")):
        entry = _without(entry, "title")
    return _icons(entry)


def _icons(entry: JsonObject) -> JsonObject:
    icons = entry.get("icons")
    if not isinstance(icons, list):
        return entry
    return {**entry, "icons": [_renamed(icon, _ICON_NAMES) if isinstance(icon, dict) else icon for icon in icons]}


def _is_generated(title: JsonValue, name: JsonValue) -> bool:
    """Whether a title is the name, or what pydantic or FastMCP make of it: `max_length` becomes `Max Length`."""
    if not (isinstance(title, str) and isinstance(name, str)):
        return False
    spaced = name.title().replace("_", " ")
    return title in (name, spaced.strip(), spaced.replace("-", " "))


def _model_titles(tool: str) -> frozenset[str]:
    """Titles of the models that frameworks generate for a tool, compared by letters and digits alone."""
    return frozenset(_letters(tool + ending) for ending in ("", *_GENERATED_ENDINGS))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _schema_without_noise(schema: JsonObject, tool: JsonValue) -> JsonObject:
    title = schema.get("title")
    if isinstance(title, str) and (
        title == _WRAPPER_TITLE or (isinstance(tool, str) and _letters(title) in _model_titles(tool))
    ):
        schema = _without(schema, "title")
    return _subschemas(schema)


def _untitled(schema: JsonValue, name: str | None = None) -> JsonValue:
    """A schema without generated titles; `name` is the property or definition that it stands under."""
    if not isinstance(schema, dict):
        return schema
    if _is_generated(schema.get("title"), name):
        schema = _without(schema, "title")
    return _subschemas(schema)


def _subschemas(schema: JsonObject) -> JsonObject:
    """The schema with every schema inside it rid of generated titles; the same object where nothing changes."""
    changed: JsonObject = {}
    for key, value in schema.items():
        if isinstance(value, dict):
            if key in _SCHEMA_MAPS:
                titled = key in _TITLED_MAPS
                new = {name: _untitled(item, name if titled else None) for name, item in value.items()}
                if any(new[name] is not item for name, item in value.items()):
                    changed[key] = new
            elif key in _SCHEMAS and (one := _untitled(value)) is not value:
                changed[key] = one
        elif isinstance(value, list) and (key in _SCHEMA_LISTS or key == "items"):
            items = [_untitled(item) for item in value]
            if any(item is not old for item, old in zip(items, value, strict=True)):
                changed[key] = items
    return {**schema, **changed} if changed else schema


def _renamed(raw: JsonObject, names: Mapping[str, str]) -> JsonObject:
    """The object with snake_case keys spelled as on the wire; a key stays where both spellings are there."""
    if not names.keys() & raw.keys():
        return raw
    return {names[key] if key in names and names[key] not in raw else key: value for key, value in raw.items()}


def _without_nulls(raw: JsonObject, optional: Iterable[str]) -> JsonObject:
    empty = {key for key in optional if key in raw and raw[key] is None}
    return {key: value for key, value in raw.items() if key not in empty} if empty else raw


def _without(raw: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in raw.items() if key != name}


def _within(raw: JsonObject, key: str, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    value = raw.get(key)
    return {**raw, key: change(value)} if isinstance(value, dict) else raw
