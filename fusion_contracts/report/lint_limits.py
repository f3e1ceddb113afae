"""What providers refuse, as far as a contract shows it: a table, one entry a limit, each with where it is known from.

A limit that a provider documents is cited by its page; one that only its error messages tell, by the message. A new one
is an entry in the table, and a row in `docs/sources.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from fusion_contracts.canonical import pointer_token
from fusion_contracts.model import JsonObject, JsonValue, ServerContract, Tool
from fusion_contracts.record import record
from fusion_contracts.schema.dialect import dialect_of
from fusion_contracts.schema.dialect_keywords import DIALECTS, LATEST
from fusion_contracts.schema.dialect_places import Place, Places, Untranslatable

__all__ = ["LIMITS", "Limit"]

Found: TypeAlias = tuple[str | None, str, str]
"""The tool's name (None: all tools together), the pointer into it, and what is wrong in words."""


@record
class Limit:
    """One limit: its id, whose it is, where it is known from, and how a contract is found to exceed it."""

    id: str
    provider: str
    source: str
    find: Callable[[ServerContract], Iterator[Found]]


def _of_each(find: Callable[[Tool], Iterator[tuple[str, str]]]) -> Callable[[ServerContract], Iterator[Found]]:
    def found(contract: ServerContract) -> Iterator[Found]:
        for tool in contract.tools.values():
            yield from ((tool.name, pointer, said) for pointer, said in find(tool))

    return found


def _at_most(number: int) -> Callable[[ServerContract], Iterator[Found]]:
    def found(contract: ServerContract) -> Iterator[Found]:
        if len(contract.tools) > number:
            yield None, "", f"{len(contract.tools):,} tools, and a request takes {number}"

    return found


def _name(pattern: str, wanted: str) -> Callable[[ServerContract], Iterator[Found]]:
    def found(tool: Tool) -> Iterator[tuple[str, str]]:
        if not re.fullmatch(pattern, tool.name):
            yield "/name", f"a name is {wanted}"

    return _of_each(found)


def _description(most: int) -> Callable[[ServerContract], Iterator[Found]]:
    def found(tool: Tool) -> Iterator[tuple[str, str]]:
        length = len(tool.description or "")
        if length > most:
            yield "/description", f"{length:,} characters, and a description takes {most:,}"

    return _of_each(found)


_COMPOSED = ("oneOf", "anyOf", "allOf")


def _root_is_object(tool: Tool) -> Iterator[tuple[str, str]]:
    if tool.input_schema.get("type") != "object":
        yield "/inputSchema", 'the root has no "type": "object", and clients drop the whole list'


def _root_is_plain(tool: Tool) -> Iterator[tuple[str, str]]:
    for keyword in _COMPOSED:
        if keyword in tool.input_schema:
            yield f"/inputSchema/{keyword}", f"no {keyword} at the root"


def _root_keys(tool: Tool) -> Iterator[tuple[str, str]]:
    """The root's alone: keys further in are not looked at."""
    properties = tool.input_schema.get("properties")
    for key in properties if isinstance(properties, dict) else ():
        if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", key):
            yield f"/inputSchema/properties/{pointer_token(key)}", "a key at the root is 1 to 64 of A-Z a-z 0-9 _ . -"


# --- OpenAI's strict mode --------------------------------------------------------------------------------------------


def _places(tool: Tool) -> Iterator[tuple[str, JsonObject, Place]]:
    """Every schema inside the input schema, with its pointer into the tool; none where its dialects are not known."""
    dialect = dialect_of(tool.input_schema)
    try:
        places = Places(tool.input_schema, DIALECTS.get(dialect, DIALECTS[LATEST])).order
    except Untranslatable:
        return
    for place in places:
        if isinstance(place.value, dict):
            yield f"/inputSchema{place.pointer()}", place.value, place


def _is_object(schema: JsonObject) -> bool:
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in schema


def _closed(tool: Tool) -> Iterator[tuple[str, str]]:
    for pointer, schema, _ in _places(tool):
        if _is_object(schema) and schema.get("additionalProperties") is not False:
            yield pointer, "an object must be closed: additionalProperties must be false"


def _all_required(tool: Tool) -> Iterator[tuple[str, str]]:
    for pointer, schema, _ in _places(tool):
        properties, required = schema.get("properties"), schema.get("required")
        names: list[JsonValue] = required if isinstance(required, list) else []
        for name in properties if isinstance(properties, dict) else ():
            if name not in names:
                where = f"{pointer}/properties/{pointer_token(name)}"
                yield where, "every property must be required; an optional one takes null"


_UNSUPPORTED = ("allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "oneOf")


def _keywords(tool: Tool) -> Iterator[tuple[str, str]]:
    for pointer, schema, place in _places(tool):
        for keyword in _UNSUPPORTED:
            if keyword in schema and (place.parent is not None or keyword not in _COMPOSED):
                yield f"{pointer}/{keyword}", f"{keyword} is not supported"


_DEEPEST, _PROPERTIES, _VALUES = 10, 5000, 1000


def _size(tool: Tool) -> Iterator[tuple[str, str]]:
    properties = values = 0
    deepest = ("", 0)
    for pointer, schema, place in _places(tool):
        held, listed = schema.get("properties"), schema.get("enum")
        properties += len(held) if isinstance(held, dict) else 0
        values += len(listed) if isinstance(listed, list) else 0
        depth = _depth(place)
        deepest = max(deepest, (pointer, depth), key=lambda one: one[1])
    if properties > _PROPERTIES:
        yield "/inputSchema", f"{properties:,} properties, and a schema takes {_PROPERTIES:,}"
    if values > _VALUES:
        yield "/inputSchema", f"{values:,} values of enums, and a schema takes {_VALUES:,}"
    if deepest[1] > _DEEPEST:
        yield deepest[0], f"{deepest[1]} levels of objects, and a schema takes {_DEEPEST}"


def _depth(place: Place) -> int:
    """How many objects stand around and at a place."""
    count, here = 0, place
    while True:
        count += isinstance(here.value, dict) and _is_object(here.value)
        if here.parent is None:
            return count
        here = here.parent


_STRICT = "OpenAI, guide to structured outputs, supported schemas"

LIMITS = (
    Limit(
        "mcp-name", "MCP", "MCP, SEP-986: format for tool names",
        _name(r"[A-Za-z0-9_.-]{1,128}", "1 to 128 of A-Z a-z 0-9 _ . -"),
    ),
    Limit("mcp-input-object", "MCP", "MCP, schema of Tool: inputSchema roots at an object", _of_each(_root_is_object)),
    Limit("openai-tools", "OpenAI", "OpenAI, API reference, tools: at most 128 functions", _at_most(128)),
    Limit(
        "openai-name", "OpenAI", "OpenAI, API reference, name of a function",
        _name(r"[a-zA-Z0-9_-]{1,64}", "1 to 64 of A-Z a-z 0-9 _ -"),
    ),
    Limit(
        "openai-description", "OpenAI", "OpenAI's error: string too long, expected a maximum length of 1024",
        _description(1024),
    ),
    Limit("openai-strict-root", "OpenAI strict", f"{_STRICT}: the root is an object", _of_each(_root_is_plain)),
    Limit("openai-strict-closed", "OpenAI strict", f"{_STRICT}: additionalProperties", _of_each(_closed)),
    Limit("openai-strict-required", "OpenAI strict", f"{_STRICT}: all fields are required", _of_each(_all_required)),
    Limit("openai-strict-keywords", "OpenAI strict", f"{_STRICT}: composition", _of_each(_keywords)),
    Limit("openai-strict-size", "OpenAI strict", f"{_STRICT}: nesting and size", _of_each(_size)),
    Limit(
        "anthropic-name", "Anthropic", "Anthropic, define tools, name",
        _name(r"[a-zA-Z0-9_-]{1,128}", "1 to 128 of A-Z a-z 0-9 _ -"),
    ),
    Limit(
        "anthropic-root", "Anthropic",
        "Anthropic's error: input_schema does not support oneOf, allOf, or anyOf at the top level",
        _of_each(_root_is_plain),
    ),
    Limit(
        "anthropic-keys", "Anthropic",
        "Anthropic's error: property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", _of_each(_root_keys),
    ),
    Limit(
        "gemini-tools", "Gemini", "Gemini's error: at most 512 function declarations can be specified", _at_most(512),
    ),
    Limit(
        "gemini-name", "Gemini", "Gemini, API reference, FunctionDeclaration.name",
        _name(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}", "1 to 64 of A-Z a-z 0-9 _ . : -, a letter or _ first"),
    ),
)  # fmt: skip
