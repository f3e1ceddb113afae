"""What an argument must be now, where a finding says it: in the words with which the runtime asks an agent for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fusion_contracts.canonical import equal
from fusion_contracts.diff.wording import listing, short
from fusion_contracts.phrases import BOUNDS, TYPES, bound
from fusion_contracts.schema.vocabulary import type_of

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.model import JsonValue

__all__ = ["allowed"]

_ENUMS = frozenset({"enum-value-removed", "enum-added", "const-changed"})
_TYPES = frozenset({"type-narrowed", "null-removed"})
_KEYWORDS = "|".join(["enum", "const", "type", "pattern", *BOUNDS])
_PLACE = re.compile(rf"/inputSchema(?:/properties/[^/]+|/items)+(?:/(?:{_KEYWORDS}))?")
_BOUND = re.compile(rf" ({'|'.join(BOUNDS)}) (?:raised|lowered|added|changed) \([^()]*\)$")


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
    known = sorted((name for name in named if name in TYPES), key=lambda name: name == "null")
    own = type_of(value)
    if not known or own in known or (own == "integer" and "number" in known):
        return None
    return " or ".join(TYPES[name] for name in known if name != "integer" or "number" not in known)


def _within(keyword: str, limit: JsonValue) -> str | None:
    if isinstance(limit, bool) or not isinstance(limit, (int, float)):
        return None
    return bound(keyword, limit, short(str(limit)))
