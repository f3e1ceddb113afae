"""What is compared at one place: each keyword by the module for its part of the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.vocabulary import ANNOTATIONS
from fusion_contracts.schema.walk.arrays import array
from fusion_contracts.schema.walk.composition import as_unions, composed, crossed, into_union, union, unlike
from fusion_contracts.schema.walk.objects import dependent, patterned, properties
from fusion_contracts.schema.walk.place import Place, Raw
from fusion_contracts.schema.walk.prose import prose
from fusion_contracts.schema.walk.values import BOUNDS, bounds, gone_with_types, listed_values, single, types

__all__ = ["edits"]

# What compares which keywords, in the order in which edits are told.
VOCABULARIES: tuple[tuple[frozenset[str], Callable[[Place], Iterator[Raw]]], ...] = (
    (frozenset({"anyOf", "oneOf"}), union),
    (frozenset({"type", "enum"}), types),
    (frozenset({"enum", "const"}), listed_values),
    (frozenset(BOUNDS), bounds),
    (frozenset({"pattern", "format", "uniqueItems"}), single),
    (
        frozenset({
            "properties", "required", "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
        }),
        properties,
    ),
    (frozenset({"patternProperties", "propertyNames"}), patterned),
    (frozenset({"dependentRequired", "dependentSchemas"}), dependent),
    (frozenset({"items", "contains", "prefixItems"}), array),
    (frozenset({"allOf", "not", "if", "then", "else"}), composed),
)  # fmt: skip
KNOWN = ANNOTATIONS.union(*(keywords for keywords, _ in VOCABULARIES))


def edits(place: Place) -> Iterator[Raw]:
    """All edits at the place and below."""
    old, new, changed = place.old.keywords, place.new.keywords, place.changed
    yield from prose(place, changed)
    if unlike(place):
        yield place.raw(
            facts.SchemaReplaced(place=place.at(), before=place.frame.old, after=place.frame.new), place.whole
        )
        return
    if ("$ref" in old) != ("$ref" in new):  # one side leads nowhere: what it says of the value is not known
        change = facts.ReferenceChanged(place=place.both("$ref"), before=old.get("$ref"), after=new.get("$ref"))
        yield place.raw(change, place.whole)
        return
    if crossed(old, new):
        unions = as_unions(place)
        yield from into_union(place) if unions is None else union(unions)
        return
    gone = gone_with_types(place)
    if not (gone.isdisjoint(old) and gone.isdisjoint(new)):
        old, new = ({keyword: part for keyword, part in side.items() if keyword not in gone} for side in (old, new))
        sides = (place.old._replace(keywords=old), place.new._replace(keywords=new))
        place = Place(place.walker, place.frame, *sides)
    for keywords, compare in VOCABULARIES:
        if not keywords.isdisjoint(changed):
            yield from compare(place)
    yield from rest(place)


def rest(place: Place) -> Iterator[Raw]:
    """Keywords that no vocabulary knows, and references that lead nowhere."""
    old, new = place.old.keywords, place.new.keywords
    for keyword in sorted(place.changed - KNOWN):
        if place.same(old.get(keyword, MISSING), new.get(keyword, MISSING)):  # what it refers to is not
            continue
        spot, before, after = place.both(keyword), old.get(keyword), new.get(keyword)
        change: facts.SchemaChange = (
            facts.ReferenceChanged(place=spot, before=before, after=after)
            if keyword == "$ref"
            else facts.KeywordChanged(place=spot, before=before, after=after, keyword=keyword)
        )
        yield place.raw(change, place.so(**{keyword: new.get(keyword, MISSING)}))
