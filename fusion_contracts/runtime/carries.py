"""Which renamed arguments may take the old value along.

A value crosses a rename only where type and constraints are equal, the old description is kept in the new one, exactly
one new argument qualifies, and no other old one does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.shape import Flat, Shape

__all__ = ["Carried", "carried"]

_DEEPEST = 6
_MOST = 400  # properties of one object that are compared
_PROSE = ("description", "title")


class Carried(NamedTuple):
    """Where a value goes: the new argument by its place (`fields[].target`), and the old one's name (`ref`)."""

    successor: str
    name: str


def carried(old: JsonValue, new: JsonValue) -> dict[str, Carried]:
    """What becomes of old arguments, by their place: `fields[].ref`."""
    sides = Shape(old), Shape(new)
    found: dict[str, Carried] = {}
    _collect(sides, (sides[0].at(()), sides[1].at(())), "", found, 0)
    return found


def _collect(
    sides: tuple[Shape, Shape], flats: tuple[Flat, Flat], place: str, found: dict[str, Carried], depth: int
) -> None:
    before, after = (_properties(flat) for flat in flats)
    if depth > _DEEPEST or max(len(before), len(after)) > _MOST:
        return
    lead = f"{place}." if place else ""
    found |= {
        f"{lead}{name}": Carried(f"{lead}{successor}", name)
        for name, successor in _renamed(before, after, sides).items()
    }
    for name in before.keys() & after.keys():
        if before[name] != after[name]:
            inner = sides[0].flat(before[name]), sides[1].flat(after[name])
            _collect(sides, inner, f"{lead}{name}", found, depth + 1)
    items = [flat.get("items") for flat in flats]
    if all(isinstance(item, dict) for item in items) and items[0] != items[1]:
        _collect(sides, (sides[0].flat(items[0]), sides[1].flat(items[1])), f"{place}[]", found, depth + 1)


def _renamed(before: dict[str, Any], after: dict[str, Any], sides: tuple[Shape, Shape]) -> dict[str, str]:
    gone, fresh = before.keys() - after.keys(), after.keys() - before.keys()
    pairs = [(old, new) for old in gone for new in fresh if _keeps(before[old], after[new], sides)]
    return {
        old: new
        for old, new in pairs
        if sum(pair[0] == old for pair in pairs) == 1 and sum(pair[1] == new for pair in pairs) == 1
    }


def _keeps(before: JsonValue, after: JsonValue, sides: tuple[Shape, Shape]) -> bool:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    words, kept = before.get("description"), after.get("description")
    if not isinstance(words, str) or not words or not isinstance(kept, str) or words not in kept:
        return False
    if _bare(before) != _bare(after):
        return False
    return "$ref" not in before or _bare(sides[0].flat(before)) == _bare(sides[1].flat(after))


def _bare(schema: Flat) -> Flat:
    return {keyword: value for keyword, value in schema.items() if keyword not in _PROSE}


def _properties(flat: Flat) -> dict[str, Any]:
    properties = flat.get("properties")
    return properties if isinstance(properties, dict) else {}
