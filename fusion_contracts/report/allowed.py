"""What an argument must be now, where a finding says it: in the words with which the runtime asks an agent for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fusion_contracts.canonical import equal
from fusion_contracts.diff.wording import listing, short
from fusion_contracts.phrases import BOUNDS, TYPES, bound, either
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
    """What it must: `be one of 'novel', 'science'`, `have at least 1 item`.

    None where the finding is about something else than all of the value. In a union another branch may take it, and of
    what stands below other keywords the value is a part or a whole.
    """
    after = finding.after
    if _PLACE.fullmatch(finding.pointer) is None:
        return None
    if finding.rule in _ENUMS:
        return _one_of(after, value)
    if finding.rule in _TYPES:
        return _of_type(after, value)
    if finding.rule == "pattern-tightened":
        return f"be a string that matches {short(after)}" if isinstance(after, str) and isinstance(value, str) else None
    found = _BOUND.search(finding.message)
    return _within(found[1], after) if found else None


def _one_of(options: JsonValue, value: JsonValue) -> str | None:
    if not isinstance(options, list) or not options or any(equal(value, one) for one in options):
        return None
    return f"be {'one of ' if len(options) > 1 else ''}{listing(options)}"


def _of_type(types: JsonValue, value: JsonValue) -> str | None:
    """The types in words, null last; None where the value's own is among them."""
    named = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    known = [name for name in named if name in TYPES]
    own = type_of(value)
    if not known or own in known or (own == "integer" and "number" in known):
        return None
    return f"be {either(known)}"


def _within(keyword: str, limit: JsonValue) -> str | None:
    if isinstance(limit, bool) or not isinstance(limit, (int, float)):
        return None
    verb = "have" if BOUNDS[keyword][1] else "be"
    return f"{verb} {bound(keyword, limit, short(str(limit)))}"
