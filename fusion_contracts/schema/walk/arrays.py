"""Items, and keywords that hold one schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.walk.place import Place, Raw

__all__ = ["array", "one_schema"]


def one_schema(place: Place, keyword: str, kind: Any, path: str) -> Iterator[Raw]:
    """A keyword that holds one schema: go down where both have one, else it appeared or vanished."""
    before, after = (side.keywords.get(keyword, MISSING) for side in (place.old, place.new))
    if isinstance(before, dict) and isinstance(after, dict):
        yield from place.below(keyword, None, path)
    elif not place.same(before, after):
        shown = [None if value is MISSING else value for value in (before, after)]
        change = kind(place=place.both(keyword), before=shown[0], after=shown[1])
        yield place.raw(change, place.so(**{keyword: place.grafted(keyword)}))


def array(place: Place) -> Iterator[Raw]:
    """The edits of items, contains and prefixItems."""
    yield from one_schema(place, "items", facts.ItemsChanged, "[]")
    yield from one_schema(place, "contains", facts.ContainsChanged, "[]")
    old, new = (side.keywords.get("prefixItems") for side in (place.old, place.new))
    old, new = (parts if isinstance(parts, list) else [] for parts in (old, new))
    shared, longest = sorted((len(old), len(new)))
    for index in range(shared):
        yield from place.below("prefixItems", index, f"[{index}]")
    for index in range(shared, longest):
        yield _position(place, index, old, new)


def _position(place: Place, index: int, old: list[Any], new: list[Any]) -> Raw:
    """A position that one side has; the edit brings all of the longer or shorter prefix, and what follows it."""
    spot = place.at("prefixItems", str(index), old=index < len(old), new=index < len(new), path=f"[{index}]")
    before, after = (parts[index] if index < len(parts) else None for parts in (old, new))
    change = facts.PrefixItemChanged(place=spot, before=before, after=after, index=index)
    prefix = [*old[: len(new)], *(place.graft(part) for part in new[len(old) :])]
    return place.raw(change, place.so(prefixItems=prefix, items=place.grafted("items")))
