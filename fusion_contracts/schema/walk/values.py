"""Types, closed lists of values, bounds and patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.values import exact, is_number, key_of
from fusion_contracts.schema.vocabulary import ANNOTATIONS, KEYWORDS_OF, TYPES, type_of
from fusion_contracts.schema.walk.place import Keywords, Place, Raw

__all__ = ["BOUNDS", "bounds", "gone_with_types", "listed_values", "single", "types", "types_of"]

BOUNDS = {
    "minimum": 1, "exclusiveMinimum": 1, "minLength": 1, "minItems": 1, "minProperties": 1, "minContains": 1,
    "maximum": -1, "exclusiveMaximum": -1, "maxLength": -1, "maxItems": -1, "maxProperties": -1, "maxContains": -1,
    "multipleOf": 0,
}  # fmt: skip


def types(place: Place) -> Iterator[Raw]:
    """The edit of the types that are allowed."""
    before, after = types_of(place.old.keywords), types_of(place.new.keywords)
    if before == after or "$unreadable" in place.old.keywords or not _typed(place):
        return
    removed = tuple(t for t in before if t not in after and not (t == "integer" and "number" in after))
    added = tuple(t for t in after if t not in before and not (t == "integer" and "number" in before))
    if removed or added:
        change = facts.TypesChanged(
            place=place.both("type"),
            before=place.old.keywords.get("type"),
            after=place.new.keywords.get("type"),
            removed=removed,
            added=added,
        )
        yield place.raw(change, lambda: place.replaced(**_retyped(place, added)))


def gone_with_types(place: Place) -> frozenset[str]:
    """The keywords that speak of types which are taken no more: the edit of the types tells that they are gone."""
    if place.changed.isdisjoint(("type", "enum")) or "$unreadable" in place.old.keywords or not _typed(place):
        return frozenset()
    types = types_of(place.old.keywords), types_of(place.new.keywords)
    if types[0] == types[1]:
        return frozenset()
    before, after = map(_with_integers, types)
    return _keywords(before - after) - _keywords(after)


def _keywords(types: Iterable[str]) -> frozenset[str]:
    """The keywords that speak of values of these types."""
    return frozenset(keyword for name in types for keyword in KEYWORDS_OF.get(name, ()))


def _with_integers(names: tuple[str, ...]) -> frozenset[str]:
    """The types, with integers where all numbers are taken."""
    return frozenset(names) | ({"integer"} if "number" in names else frozenset())


def _retyped(place: Place, added: tuple[str, ...]) -> Keywords:
    """The new types; where a type is added, what the new schema says of it alone comes along."""
    old, new = place.old.keywords, place.new.keywords
    updates: Keywords = {"type": new.get("type", MISSING)}
    before, after = old.get("enum"), new.get("enum")
    if added and "enum" in old and "enum" not in new:
        updates["enum"] = MISSING
    elif isinstance(before, list) and isinstance(after, list):
        listed = [value for value in after if type_of(value) in added]
        updates |= {"enum": [*before, *listed]} if listed else {}
    of_added = _keywords(added) - _keywords(types_of(old))
    return updates | {k: place.grafted(k) for k in new if k in of_added and k not in old and k not in ANNOTATIONS}


def listed_values(place: Place) -> Iterator[Raw]:
    """The edit of the closed list of values."""
    before, after = place.old.keywords.get("enum"), place.new.keywords.get("enum")
    if place.same(before, after):
        return
    if not isinstance(before, list | None) or not isinstance(after, list | None):
        change = facts.KeywordChanged(place=place.both("enum"), before=before, after=after, keyword="enum")
        yield place.raw(change, place.so(enum=place.grafted("enum")))
    elif not _said_by_types(place, before, after):
        yield _listed(place, before, after)


def _said_by_types(place: Place, before: list[Any] | None, after: list[Any] | None) -> bool:
    """Whether the lists hold the same values, or differ by what the types tell already."""
    types = [set(types_of(side.keywords)) for side in (place.old, place.new)]
    if before is None or after is None:  # [null] beside type null says no more than the type does
        return types[0] == types[1] and all(value is None for value in before or after or ())
    differing = [*difference(before, after), *difference(after, before)]
    if not differing:
        return True
    told = bool(before and after) and _typed(place)
    return told and all(type_of(value) in types[0] ^ types[1] for value in differing)


def _listed(place: Place, before: list[Any] | None, after: list[Any] | None) -> Raw:
    removed, added = (tuple(difference(*lists)) for lists in ((before, after), (after, before)))
    updates: Keywords = {"enum": place.grafted("enum")}
    if "type" in place.old.keywords and after is not None and added:
        updates["type"] = place.new.keywords.get("type", MISSING)
    change = facts.EnumChanged(place=place.both("enum"), before=before, after=after, removed=removed, added=added)
    return place.raw(change, place.so(**updates))


def bounds(place: Place) -> Iterator[Raw]:
    """The edits of numeric keywords."""
    for keyword in BOUNDS:
        if keyword in place.old.keywords or keyword in place.new.keywords:
            yield from _bound(place, keyword)


def _bound(place: Place, keyword: str) -> Iterator[Raw]:
    before: Any = place.old.keywords.get(keyword)
    after: Any = place.new.keywords.get(keyword)
    if place.same(before, after) or (is_number(before) and is_number(after) and exact(after) == exact(before)):
        return
    change = facts.BoundChanged(
        place=place.both(keyword), before=before, after=after, keyword=keyword, tighter=_tighter(keyword, before, after)
    )
    yield place.raw(change, place.so(**{keyword: place.new.keywords.get(keyword, MISSING)}))


def single(place: Place) -> Iterator[Raw]:
    """The edits of keywords whose value is compared as a whole."""
    yield from _one_value(place, "pattern", facts.PatternChanged)
    yield from _one_value(place, "format", facts.FormatChanged)
    yield from _one_value(place, "uniqueItems", facts.UniqueItemsChanged, missing=False)


def _one_value(place: Place, keyword: str, kind: Any, *, missing: Any = None) -> Iterator[Raw]:
    before, after = (side.keywords.get(keyword, missing) for side in (place.old, place.new))
    if not place.same(before, after):
        change = kind(place=place.both(keyword), before=before, after=after)
        if keyword == "format":
            yield Raw(change)
        else:
            yield place.raw(change, place.so(**{keyword: place.new.keywords.get(keyword, MISSING)}))


def types_of(keywords: Keywords) -> tuple[str, ...]:
    """The types that a schema allows as far as `type` (or else its closed list) tells; all where nothing does."""
    value = keywords.get("type")
    if isinstance(value, str):
        return (value,) if value in TYPES else ()
    names = value if isinstance(value, list) else [value] if value is not None else None
    if names is None:
        listed = keywords.get("enum")
        names = list(dict.fromkeys(type_of(v) for v in listed)) if isinstance(listed, list) else list(TYPES)
    return tuple(name for name in TYPES if name in names)


def difference(left: list[Any] | None, right: list[Any] | None) -> list[Any]:
    """The values of one list that the other lacks; nothing where either is no list."""
    if left is None or right is None:
        return []
    known = {key_of(value) for value in right}
    return [value for value in left if key_of(value) not in known]


def _tighter(keyword: str, before: Any, after: Any) -> bool | None:
    if keyword == "minContains":  # one item is needed where nothing is said
        before, after = (1 if bound is None else bound for bound in (before, after))
    if before is None or after is None:
        return after is not None
    if not is_number(before) or not is_number(after):
        return None
    if BOUNDS[keyword]:
        return (exact(after) - exact(before)) * BOUNDS[keyword] > 0
    if not exact(before) or not exact(after):
        return None
    if exact(after) % exact(before) == 0:
        return True
    return False if exact(before) % exact(after) == 0 else None


def _typed(place: Place) -> bool:
    """Whether a side names types; else its closed list alone tells them."""
    return "type" in place.old.keywords or "type" in place.new.keywords
