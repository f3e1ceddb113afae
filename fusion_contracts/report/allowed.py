"""What an argument must be now, where a finding says it: in the words with which the runtime asks an agent for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fusion_contracts.canonical import equal
from fusion_contracts.diff.wording import listing, short
from fusion_contracts.schema.vocabulary import type_of

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.model import JsonValue

__all__ = ["allowed"]

_ENUMS = frozenset({"enum-value-removed", "enum-added", "const-changed"})
_TYPES = frozenset({"type-narrowed", "null-removed"})
_IN_WORDS = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
_BOUNDS = {
    "minimum": ("at least {}", ""),
    "exclusiveMinimum": ("more than {}", ""),
    "maximum": ("at most {}", ""),
    "exclusiveMaximum": ("less than {}", ""),
    "multipleOf": ("a multiple of {}", ""),
    "minLength": ("at least {}", "character"),
    "maxLength": ("at most {}", "character"),
    "minItems": ("at least {}", "item"),
    "maxItems": ("at most {}", "item"),
    "minProperties": ("at least {}", "key"),
    "maxProperties": ("at most {}", "key"),
}
_KEYWORDS = "|".join(["enum", "const", "type", "pattern", *_BOUNDS])
_PLACE = re.compile(rf"/inputSchema(?:/properties/[^/]+|/items)+(?:/(?:{_KEYWORDS}))?")
_BOUND = re.compile(rf" ({'|'.join(_BOUNDS)}) (?:raised|lowered|added|changed) \([^()]*\)$")


def allowed(finding: Finding, value: JsonValue) -> str | None:
    """`one of 'novel', 'science'`, `at most 50`; None where the finding is about something else than all of the value.

    In a union another branch may take it, and of what stands below other keywords the value is a part or a whole.
    """
    after = finding.after
    if _PLACE.fullmatch(finding.pointer) is None:
        return None
    if finding.rule in _ENUMS:
        return _one_of(after, value)
    if finding.rule in _TYPES:
        return _of_type(after, value)
    if finding.rule == "pattern-tightened":
        return f"a string that matches {short(after)}" if isinstance(after, str) and isinstance(value, str) else None
    found = _BOUND.search(finding.message)
    return _within(found[1], after) if found else None


def _one_of(options: JsonValue, value: JsonValue) -> str | None:
    if not isinstance(options, list) or not options or any(equal(value, one) for one in options):
        return None
    return listing(options) if len(options) == 1 else f"one of {listing(options)}"


def _of_type(types: JsonValue, value: JsonValue) -> str | None:
    """The types in words, null last; None where the value's own is among them."""
    named = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    known = sorted((name for name in named if name in _IN_WORDS), key=lambda name: name == "null")
    own = type_of(value)
    if not known or own in known or (own == "integer" and "number" in known):
        return None
    return " or ".join(_IN_WORDS[name] for name in known if name != "integer" or "number" not in known)


def _within(keyword: str, limit: JsonValue) -> str | None:
    if isinstance(limit, bool) or not isinstance(limit, (int, float)):
        return None
    phrase, unit = _BOUNDS[keyword]
    shown = short(str(limit))
    return phrase.format(f"{shown} {unit}{'' if limit == 1 else 's'}" if unit else shown)
