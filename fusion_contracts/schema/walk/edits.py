"""What is compared at one place: each keyword by the module for its part of the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING, UNMARKED
from fusion_contracts.schema.vocabulary import ANNOTATIONS, TYPES
from fusion_contracts.schema.walk.arrays import array
from fusion_contracts.schema.walk.composition import as_unions, composed, crossed, into_union, union, unlike
from fusion_contracts.schema.walk.objects import dependent, patterned, properties
from fusion_contracts.schema.walk.place import Keywords, Place, Raw
from fusion_contracts.schema.walk.prose import prose
from fusion_contracts.schema.walk.values import (
    BOUNDS,
    bounds,
    gone_with_types,
    listed_values,
    single,
    types,
    types_of,
)

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
            "properties", "required", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", UNMARKED,
        }),
        properties,
    ),
    (frozenset({"patternProperties", "propertyNames"}), patterned),
    (frozenset({"dependentRequired", "dependentSchemas"}), dependent),
    (frozenset({"items", "contains", "prefixItems"}), array),
    (frozenset({"allOf", "not", "if", "then", "else"}), composed),
)  # fmt: skip
# Of another form they say nothing that could be compared part by part.
FORMS: dict[str, type] = {
    "properties": dict, "required": list, "patternProperties": dict, "dependentRequired": dict,
    "dependentSchemas": dict, "prefixItems": list,
}  # fmt: skip
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


def formless(keyword: str, old: Keywords, new: Keywords) -> bool:
    """Whether both sides have a keyword and neither the form of it."""
    form = FORMS.get(keyword)
    return form is not None and not any(isinstance(side.get(keyword, form()), form) for side in (old, new))


def unlisted(old: Keywords, new: Keywords) -> bool:
    """Whether nothing differs in two lists of types but names that are no types."""
    names = [value if isinstance(value, list) else [value] for value in (old.get("type"), new.get("type"))]
    unknown = [[name for name in side if name is not None and name not in TYPES] for side in names]
    return types_of(old) == types_of(new) and unknown[0] != unknown[1] and all(unknown)


def rest(place: Place) -> Iterator[Raw]:
    """Keywords that no vocabulary knows, or not in this form, and references that lead nowhere."""
    old, new = place.old.keywords, place.new.keywords
    for keyword in sorted(place.changed):
        if keyword in KNOWN and not (unlisted(old, new) if keyword == "type" else formless(keyword, old, new)):
            continue
        if place.same(old.get(keyword, MISSING), new.get(keyword, MISSING)):  # what it refers to is not
            continue
        spot, before, after = place.both(keyword), old.get(keyword), new.get(keyword)
        change: facts.SchemaChange = (
            facts.ReferenceChanged(place=spot, before=before, after=after)
            if keyword == "$ref"
            else facts.KeywordChanged(place=spot, before=before, after=after, keyword=keyword)
        )
        yield place.raw(change, place.so(**{keyword: place.grafted(keyword)}))
