"""What a schema expects, in a few words that a model can act on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.model import JsonValue
from fusion_contracts.phrases import TYPES
from fusion_contracts.runtime.echo import clip, show
from fusion_contracts.runtime.shape import BRANCHES, Flat

__all__ = ["FORMATS", "expected", "first_sentence", "one_of", "types_in_words"]

_LONGEST_DESCRIPTION = 160
_LONGEST_OPTIONS = 240  # characters of a list of allowed values
_LONGEST_PATTERN = 80
_MOST_BRANCHES = 4

_PLURALS = {
    "string": "strings",
    "number": "numbers",
    "integer": "integers",
    "boolean": "true or false",
    "object": "objects",
    "array": "lists",
}
FORMATS = {
    "email": "a valid email address",
    "idn-email": "a valid email address",
    "uri": "a valid URL",
    "uri-reference": "a valid URL or path",
    "url": "a valid URL",
    "uuid": "a valid UUID",
    "date": "a date such as 2026-01-31",
    "time": "a time such as 10:30:00Z",
    "date-time": "a date and time such as 2026-01-31T10:30:00Z",
    "duration": "an ISO 8601 duration such as P1D",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "hostname": "a host name",
    "regex": "a regular expression",
    "json-pointer": "a JSON pointer",
}

_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def first_sentence(description: JsonValue) -> str:
    """A short description whole; of a longer one the first sentence, at most 160 characters. "" without any."""
    if not isinstance(description, str):
        return ""
    text = printable(" ".join(description[:2000].split()))
    if len(text) <= _LONGEST_DESCRIPTION:
        return text
    first = _SENTENCE_END.split(text, maxsplit=1)[0]
    if len(first) <= _LONGEST_DESCRIPTION:
        return first
    return f"{first[: _LONGEST_DESCRIPTION - 3].rpartition(' ')[0] or first[: _LONGEST_DESCRIPTION - 3]}..."


def expected(flat: Flat) -> str:
    """What a value must be: `a number`, `one of 'a', 'b'`, `a list of strings`, `a string or null`."""
    if "const" in flat:
        return show(flat["const"])
    options = flat.get("enum")
    if isinstance(options, list) and options:
        return one_of(options)
    branches = flat.get(BRANCHES)
    if isinstance(branches, list) and not flat.get("type"):
        return _either([expected(branch) for branch in branches])
    types = flat.get("type")
    names = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    return types_in_words(names, flat) if names else _untyped(flat)


def types_in_words(names: Sequence[Any], flat: Flat | None = None) -> str:
    """A list of JSON types in words; `flat` adds what a string or list must hold."""
    known = [name for name in names if name in TYPES]
    if "integer" in known and "number" in known:
        known.remove("integer")
    return _either([_one(name, flat or {}) for name in sorted(known, key=lambda name: name == "null")]) or "a value"


def one_of(options: Sequence[JsonValue]) -> str:
    """Allowed values, as many as a line holds: `one of 'a', 'b'`."""
    if len(options) == 1:
        return show(options[0])
    shown: list[str] = []
    length = 0
    for option in options:
        text = show(option)
        length += len(text) + 2
        if length > _LONGEST_OPTIONS and shown:
            break
        shown.append(text)
    rest = len(options) - len(shown)
    return f"one of {', '.join(shown)}" + (f" and {rest:,} more" if rest else "")


def _one(name: str, flat: Flat) -> str:
    if name == "string":
        return _string(flat)
    items = flat.get("items")
    if name == "array" and "prefixItems" not in flat and isinstance(items, dict) and items.get("type") in _PLURALS:
        return f"a list of {_PLURALS[items['type']]}"
    return TYPES[name]


def _string(flat: Flat) -> str:
    form, pattern = flat.get("format"), flat.get("pattern")
    if isinstance(form, str) and form in FORMATS:
        return FORMATS[form]
    if isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN:
        return f"a string that matches {clip(pattern, _LONGEST_PATTERN)}"
    return TYPES["string"]


def _untyped(flat: Flat) -> str:
    if isinstance(flat.get("properties"), dict):
        return TYPES["object"]
    if "items" in flat or "prefixItems" in flat:
        return _one("array", flat)
    return _string(flat) if "format" in flat or "pattern" in flat else "a value"


def _either(phrases: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(phrase for phrase in phrases if phrase))[:_MOST_BRANCHES]
    return " or ".join(distinct)
