"""Properties: named, required, renamed, by pattern, and all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.location import mapped
from fusion_contracts.schema.rename import property_renames
from fusion_contracts.schema.walk.arrays import one_schema
from fusion_contracts.schema.walk.place import Keywords, Place, Raw, dot, required_names
from fusion_contracts.schema.walk.values import difference

__all__ = ["dependent", "patterned", "properties"]

BY_NAME = ("unevaluatedProperties", "patternProperties", "propertyNames")
ABOUT_OTHER_NAMES = ("additionalProperties", *BY_NAME)


def properties(place: Place) -> Iterator[Raw]:
    """The edits of properties and required, and of what is said about names that no property has."""
    old, new = mapped(place.old.keywords, "properties"), mapped(place.new.keywords, "properties")
    lists = [required_names(side.keywords) for side in (place.old, place.new)]
    needed_before, needed = map(frozenset, lists)
    one_sided = old.keys() ^ new.keys()
    moved = {name for name in one_sided if place.named_elsewhere(name)}
    renamed = _renames(place, old, new, one_sided - moved)
    for name, part in old.items():
        if name in renamed:
            yield _renamed(place, name, *renamed[name])
        elif name in new:
            if place.walker.unchanged(part, new[name]):  # most are
                continue
            always = name in needed_before
            optional = not always and name not in needed
            yield from place.below("properties", name, dot(name), optional=optional, needed=always)
        else:
            yield _moved(place, name) if name in moved else _removed(place, name, required=name in needed_before)
    successors = {successor for successor, _ in renamed.values()}
    for name in new:
        if name not in old and name not in successors:
            yield _moved(place, name) if name in moved else _added(place, name, required=name in needed)
    changing = needed_before ^ needed
    for name in dict.fromkeys(name for names in lists for name in names if name in changing):
        if name in moved or (name in old) == (name in new):
            yield _requirement(place, name, required=name in needed)
    yield from _others(place)


def _requirement(place: Place, name: str, *, required: bool) -> Raw:
    """A name that both sides have, or neither, became required or optional."""
    spot = place.both("required", dot(name))
    change = facts.RequiredChanged(place=spot, before=not required, after=required, name=name, required=required)

    def names() -> list[str]:
        others = [other for other in required_names(place.old.keywords) if other != name]
        return [*others, name] if required else others

    return place.raw(change, place.so(required=names))


def _renames(place: Place, old: Keywords, new: Keywords, one_sided: set[str]) -> dict[str, tuple[str, bool]]:
    """Old name to (new name, whether the value carries over), of names that one side has."""
    if one_sided.isdisjoint(old) or one_sided.isdisjoint(new):
        return {}
    view = place.walker.view
    gone = {name: view(part, place.old.scope).keywords for name, part in old.items() if name in one_sided}
    come = {name: view(part, place.new.scope).keywords for name, part in new.items() if name in one_sided}

    def stayed() -> dict[str, Keywords]:
        return {name: view(part, place.old.scope).keywords for name, part in old.items() if name in new}

    return {name: (successor, carries) for name, successor, carries in property_renames(gone, come, stayed)}


def _renamed(place: Place, name: str, successor: str, carries: bool) -> Raw:  # noqa: FBT001 - a pair that goes on
    schema = place.new.keywords["properties"][successor]
    change = facts.PropertyRenamed(
        place=place.at("properties", name, path=dot(name))._replace(new=place.at("properties", successor).new),
        before=place.old.keywords["properties"][name],
        after=schema,
        name=name,
        successor=successor,
        carries=carries,
    )
    return place.raw(change, lambda: place.replaced(**_without(place, name, successor)))


def _moved(place: Place, name: str) -> Raw:
    """A property that another schema of the same value names still, or named already: neither lost nor new."""
    sides = [mapped(side.keywords, "properties") for side in (place.old, place.new)]
    spot = place.at("properties", name, old=name in sides[0], new=name in sides[1], path=dot(name))
    change = facts.SchemaReplaced(place=spot, before=sides[0].get(name), after=sides[1].get(name))

    def updated() -> Keywords:
        others = {k: v for k, v in sides[0].items() if k != name}
        return {**others, name: place.graft(sides[1][name])} if name in sides[1] else others

    return place.raw(change, place.so(properties=updated))


def _removed(place: Place, name: str, *, required: bool) -> Raw:
    change = facts.PropertyRemoved(
        place=place.at("properties", name, new=False, path=dot(name)),
        before=place.old.keywords["properties"][name],
        name=name,
        required=required,
        refused=False,
    )
    return place.raw(change, lambda: place.replaced(**_without(place, name)))


def _without(place: Place, name: str, successor: str | None = None) -> Keywords:
    """Without a property, or with its successor, and with what the new object says of a name that it does not know."""
    old, new = place.old.keywords, place.new.keywords
    updates: Keywords = {"properties": {k: v for k, v in old["properties"].items() if k != name}}
    if new.keys().isdisjoint(BY_NAME):  # then it says the same of every such name
        updates["properties"][name] = place.graft(new.get("additionalProperties", True))
    else:
        updates |= {k: place.grafted(k) for k in ABOUT_OTHER_NAMES if k in new or k in old}
    needed = [n for n in required_names(old) if n != name]
    if successor is not None:
        updates["properties"][successor] = place.graft(new["properties"][successor])
        needed += [successor] if successor in required_names(new) else []
    if needed != required_names(old):
        updates["required"] = needed
    return updates


def _added(place: Place, name: str, *, required: bool) -> Raw:
    schema = place.new.keywords["properties"][name]
    change = facts.PropertyAdded(
        place=place.at("properties", name, old=False, path=dot(name)), after=schema, name=name, required=required
    )

    def updates() -> Keywords:
        old = place.old.keywords
        properties = {"properties": {**mapped(old, "properties"), name: place.graft(schema)}}
        return {**properties, "required": [*required_names(old), name]} if required else properties

    return place.raw(change, lambda: place.replaced(**updates()))


def _others(place: Place) -> Iterator[Raw]:
    """The edits of what is said about all other names, and items."""
    if "additionalProperties" in place.changed:
        yield from _additional(place)
    for keyword in ("unevaluatedProperties", "unevaluatedItems"):
        if keyword in place.changed:
            yield from _unevaluated(place, keyword)


def _additional(place: Place) -> Iterator[Raw]:
    keyword = "additionalProperties"
    before, after = (side.keywords.get(keyword, True) for side in (place.old, place.new))
    before, after = (True if value == {} else value for value in (before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        yield from place.below(keyword, None, dot("*"))
    elif not place.same(before, after):
        explicit = keyword in place.old.keywords
        change = facts.AdditionalPropertiesChanged(
            place=place.both(keyword), before=before, after=after, explicit_before=explicit
        )
        yield place.raw(change, place.so(**{keyword: place.graft(after)}))


def _unevaluated(place: Place, keyword: str) -> Iterator[Raw]:
    before, after = (side.keywords.get(keyword, True) for side in (place.old, place.new))
    if isinstance(before, dict) and isinstance(after, dict):
        yield from place.below(keyword, None, dot("*"))
    elif not place.same(before, after):
        change = facts.UnevaluatedChanged(place=place.both(keyword), before=before, after=after, keyword=keyword)
        yield place.raw(change, place.so(**{keyword: place.graft(after)}))


def patterned(place: Place) -> Iterator[Raw]:
    """The edits of patternProperties and propertyNames."""
    for pattern, before, after in _entries(place, "patternProperties"):
        step = dot(f"/{pattern}/")
        if before is not MISSING and after is not MISSING:
            yield from place.below("patternProperties", pattern, step)
            continue
        shown = [None if value is MISSING else value for value in (before, after)]
        spot = _entry_place(place, "patternProperties", pattern, path=step)
        change = facts.PatternPropertyChanged(place=spot, before=shown[0], after=shown[1], pattern=pattern)
        yield _entry(place, change, "patternProperties", pattern)
    yield from one_schema(place, "propertyNames", facts.PropertyNamesChanged, "{name}")


def dependent(place: Place) -> Iterator[Raw]:
    """The edits of dependentRequired and dependentSchemas."""
    for name, before, after in _entries(place, "dependentRequired"):
        lists = [names if isinstance(names, list) else [] for names in (before, after)]
        added, removed = difference(lists[1], lists[0]), difference(lists[0], lists[1])
        read = all(isinstance(names, list) or names is MISSING for names in (before, after))
        if place.same(before, after) or (read and not (added or removed)):
            continue
        shown = [None if value is MISSING else value for value in (before, after)]
        change: facts.SchemaChange = facts.DependentRequiredChanged(
            place=_entry_place(place, "dependentRequired", name, path=dot(name)),
            before=shown[0],
            after=shown[1],
            name=name,
            added=tuple(added),
            removed=tuple(removed),
        )
        yield _entry(place, change, "dependentRequired", name)
    for name, before, after in _entries(place, "dependentSchemas"):
        if before is not MISSING and after is not MISSING:
            yield from place.below("dependentSchemas", name, "")
            continue
        shown = [None if value is MISSING else value for value in (before, after)]
        spot = _entry_place(place, "dependentSchemas", name, path=dot(name))
        change = facts.DependentSchemaChanged(place=spot, before=shown[0], after=shown[1], name=name)
        yield _entry(place, change, "dependentSchemas", name)


def _entries(place: Place, keyword: str) -> Iterator[tuple[str, Any, Any]]:
    """The names under a keyword, and what stands under each on both sides."""
    old, new = mapped(place.old.keywords, keyword), mapped(place.new.keywords, keyword)
    for name in [*old, *(name for name in new if name not in old)]:
        yield name, old.get(name, MISSING), new.get(name, MISSING)


def _entry_place(place: Place, keyword: str, name: str, *, path: str) -> facts.Place:
    old, new = (name in mapped(side.keywords, keyword) for side in (place.old, place.new))
    return place.at(keyword, name, old=old, new=new, path=path)


def _entry(place: Place, change: facts.SchemaChange, keyword: str, name: str) -> Raw:
    """A fact about one name under a keyword, with the old schema in which the name has its new value or is gone."""
    new = mapped(place.new.keywords, keyword)
    updated = {k: v for k, v in mapped(place.old.keywords, keyword).items() if k != name}
    updated |= {name: place.graft(new[name])} if name in new else {}
    return place.raw(change, place.so(**{keyword: updated}))
