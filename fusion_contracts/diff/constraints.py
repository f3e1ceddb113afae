"""Which way a constraint moved, as far as the edit alone shows it, and how to say it."""

from __future__ import annotations

from fusion_contracts.diff.wording import shift, short
from fusion_contracts.model import JsonValue
from fusion_contracts.schema import changes
from fusion_contracts.schema.changes import BoundChanged, Place, SchemaChange
from fusion_contracts.schema.values import is_number

__all__ = ["describe", "is_property", "loosened", "refuses_all", "tightened"]

_NOUNS: dict[type[SchemaChange], str] = {
    changes.PatternChanged: "pattern",
    changes.FormatChanged: "format",
    changes.UniqueItemsChanged: "uniqueItems",
    changes.AdditionalPropertiesChanged: "additionalProperties",
    changes.PropertyNamesChanged: "propertyNames",
    changes.ItemsChanged: "items",
    changes.ContainsChanged: "contains",
    changes.AllOfChanged: "allOf",
    changes.NotChanged: "exclusion (not)",
    changes.PatternPropertyChanged: "constraint",
    changes.DependentRequiredChanged: "what must be sent beside it",
    changes.DependentSchemaChanged: "condition",
    changes.PrefixItemChanged: "constraint",
    changes.ConditionChanged: "condition",
    changes.ReferenceChanged: "reference",
    changes.SchemaReplaced: "schema",
    changes.SchemaEmptied: "schema",
}


def loosened(change: SchemaChange) -> bool:
    """Whether the constraint was dropped or weakened; where that cannot be seen it counts as tightened."""
    if isinstance(change, BoundChanged):
        return change.tighter is False
    if isinstance(change, changes.DependentRequiredChanged):
        return not change.added
    if isinstance(change, changes.UniqueItemsChanged):
        return change.after is not True
    if isinstance(change, changes.NotChanged):
        return change.after is None or change.after is False
    return change.after is None or change.after is True or change.after == {}


def tightened(change: BoundChanged, *keywords: str) -> str | None:
    """The sentence for a bound of `keywords` that was tightened, or changed in a way that is neither."""
    if change.keyword not in keywords or loosened(change):
        return None
    return describe(change)


def describe(change: SchemaChange) -> str:
    """What happened to a constraint, as a predicate: `minimum raised (1 -> 2)`, `condition changed`."""
    if isinstance(change, BoundChanged):
        return f"{change.keyword} {_moved(change)}"
    if isinstance(change, (changes.BranchAdded, changes.BranchRemoved)):
        return _branch(change)
    noun = _noun(change)
    if _is_long(change.before) or _is_long(change.after):
        return f"{noun} {_verb(change.before, change.after)}"
    return f"{noun} {shift(change.before, change.after)}"


def _moved(change: BoundChanged) -> str:
    if not (is_number(change.before) and is_number(change.after)) or change.before == change.after:
        return shift(change.before, change.after)
    word = "raised" if change.after > change.before else "lowered"
    return f"{word} ({change.before} -> {change.after})"


def _branch(change: changes.BranchAdded | changes.BranchRemoved) -> str:
    verb = "gained" if isinstance(change, changes.BranchAdded) else "lost"
    if change.discriminator is None:
        return f"{verb} a branch of {change.keyword}"
    name, constant = change.discriminator
    return f"{verb} the branch of {change.keyword} where {short(name)} is {short(repr(constant))}"


def _noun(change: SchemaChange) -> str:
    return change.keyword if isinstance(change, changes.UnevaluatedChanged) else _NOUNS.get(type(change), "schema")


def _is_long(item: JsonValue) -> bool:
    return isinstance(item, (dict, list))


def _verb(before: JsonValue, after: JsonValue) -> str:
    if before is None:
        return "added"
    return "removed" if after is None else "changed"


def refuses_all(schema: JsonValue) -> bool:
    """Whether a schema plainly accepts nothing."""
    return schema is False or (isinstance(schema, dict) and schema.keys() == {"not"} and schema["not"] in ({}, True))


def is_property(place: Place) -> bool:
    """Whether a place is that of a named property."""
    parent = (place.new or place.old or "").rpartition("/")[0]
    return parent.endswith("/properties")
