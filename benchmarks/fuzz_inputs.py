"""Inputs for the fuzzer: choices drawn from bytes, and JSON documents with hostile values put into them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["Choices", "hostile", "mixed"]

T = TypeVar("T")

TEXTS = (
    "", " ", "a", "\x00", "\ud800", "\u202e\u2066x", "\x1b]8;;http://x\x07", "\x1b[2J", "a\r\nb", "::error::x", "##[x]",
    "`|</details>", "<script>", "]]>", "-->", "#", "#/", "#/$defs/x", "#/properties/a", "http://[::1", "../../x",
    "/etc", "${HOME}", "${input:x}", "-c", "--upload-pack=x", "^(a+)+$", "(", "\\", "x" * 5000, "'", '"', "{}",
    "[" * 300, "a.b.c", "~", "~2", "object", "string", "array", "null", "1e999", "9" * 5000, "\ufeff",
    "\U000e0041", "get", "$ref",
)  # fmt: skip
KEYS = (
    "type", "properties", "required", "enum", "const", "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "items",
    "pattern", "name", "inputSchema", "outputSchema", "description", "annotations", "_meta", "tools", "title",
    "additionalProperties", "patternProperties", "$id", "$schema", "minimum", "multipleOf", "maxLength", "default",
    "prompts", "resources", "uri", "arguments", "serverInfo", "capabilities", "paths", "parameters", "in", "schema",
    "content", "application/json", "responses", "requestBody", "command", "args", "env", "url", "headers", "if", "then",
    "dependentRequired", "dependentSchemas", "prefixItems", "unevaluatedProperties", "contains", "format", "nullable",
)  # fmt: skip
LEAVES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, -(10**400), 1.5, 1e308, 5e-324, -0.0, [], {}, [[]], [{}], {"": None}, [None],
    {"$ref": "#"}, {"$ref": "#/"}, {"type": []}, {"enum": []}, {"properties": {"a": {"$ref": "#"}}},
)  # fmt: skip
_MOST_EDITS, _MOST_PLACES = 12, 4000


class Choices:
    """Decisions taken from bytes, the same ones for the same bytes; where they end, each is the first."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        taken = self.data[self.at : self.at + 2]
        self.at += 2
        return int.from_bytes(taken) % count if count else 0

    def pick(self, options: Sequence[T]) -> T:
        """One of them."""
        return options[self.below(len(options))]

    def __bool__(self) -> bool:
        return self.at < len(self.data)


def places(document: Any) -> list[tuple[Any, Any]]:
    """Where values stand: (object or array, key)."""
    found: list[tuple[Any, Any]] = []
    pending = [document]
    while pending and len(found) < _MOST_PLACES:
        holder = pending.pop()
        if isinstance(holder, dict | list):
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            found += [(holder, key) for key in keys]
            pending += [holder[key] for key in keys]
    return found


def hostile(choices: Choices, seeds: Sequence[Any]) -> Any:
    """One of the documents with a few values replaced, wrapped, renamed, moved or removed."""
    document = [copy.deepcopy(choices.pick(seeds))]
    edits = 0
    while choices and edits < _MOST_EDITS:
        edits += 1
        found = places(document)
        holder, key = choices.pick(found)
        edit(choices, holder, key, found)
    value = document[0] if document else None
    try:
        json.dumps(value)  # one that holds itself is none that a file can hold
    except (ValueError, RecursionError):
        return None
    return value


def edit(choices: Choices, holder: Any, key: Any, found: list[tuple[Any, Any]]) -> None:
    """One edit of the value at a place."""
    kind = choices.below(8)
    if kind in {0, 1}:
        holder[key] = choices.pick(TEXTS)
    elif kind == 2:  # noqa: PLR2004 - kinds of edits, by number
        holder[key] = copy.deepcopy(choices.pick(LEAVES))
    elif kind == 3:  # noqa: PLR2004
        other, there = choices.pick(found)
        with suppress(LookupError):  # an edit before may have taken it away
            holder[key] = copy.deepcopy(other[there])
    elif kind == 4:  # noqa: PLR2004
        for _ in range(choices.pick((1, 3, 70, 300))):
            holder[key] = {choices.pick(KEYS): holder[key]} if choices.below(2) else [holder[key]]
    elif kind == 5 and isinstance(holder, dict):  # noqa: PLR2004
        holder[choices.pick(TEXTS)] = holder.pop(key)
    elif kind == 6 and isinstance(holder[key], dict):  # noqa: PLR2004
        holder[key][choices.pick(KEYS)] = copy.deepcopy(choices.pick(LEAVES))
    elif isinstance(holder, dict):
        del holder[key]
    else:
        holder.append(copy.deepcopy(holder[key]))


def mixed(data: bytes, parts: int) -> Iterator[str]:
    """So many texts out of one input, parted by form feeds."""
    texts = data.decode(errors="ignore").split("\f", parts - 1)
    yield from texts
    yield from [""] * (parts - len(texts))
