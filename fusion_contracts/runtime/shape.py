"""What a schema says about one place in the arguments: references followed, `allOf` and the fitting branch merged.

For wording alone. Whether something is valid is the validator's word; a shape may know too little, never raises, and
looks at a bounded part of a schema.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

from fusion_contracts.canonical import pointer_key
from fusion_contracts.model import JsonValue

__all__ = ["ABSENT", "BRANCHES", "Flat", "Path", "Shape", "has_type", "kind_of", "step_into"]

Flat: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]

BRANCHES = "$branches"
"""The key under which a flat schema lists the branches of a union that is still open."""


class _Absent:
    """Stands for a value that was not sent."""


ABSENT = _Absent()

_MERGED = frozenset({"$ref", "allOf", "anyOf", "oneOf", "then", "else"})
_DEEPEST = 16
_MOST_BRANCHES = 40
_MOST_STEPS = 20_000  # schemas that one shape reads: branches of branches end here


def kind_of(value: JsonValue) -> str:
    """The JSON type of a value; `integer` for whole numbers, "" for what JSON does not have."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    names: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (str, "string"), (dict, "object"), ((list, tuple), "array"), (float, "number"),
    )  # fmt: skip
    return next((name for kind, name in names if isinstance(value, kind)), "")


def has_type(value: JsonValue, names: Collection[Any]) -> bool:
    """Whether a value is of one of these JSON types; a whole number is a number too."""
    kind = kind_of(value)
    return kind in names or (kind == "integer" and "number" in names)


def step_into(value: JsonValue, step: str | int) -> JsonValue:
    """What stands under a name or an index; ABSENT where nothing does."""
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, (list, tuple)) and isinstance(step, int) and -1 < step < len(value):
        return value[step]
    return ABSENT


class Shape:
    """One schema, read place by place."""

    def __init__(self, schema: JsonValue) -> None:
        self.root = schema if isinstance(schema, dict) else {}
        self._left = _MOST_STEPS

    @property
    def exhausted(self) -> bool:
        """Whether it read as much of the schema as it may: then what it says can be too little."""
        return self._left < 0

    def at(self, path: Path, arguments: JsonValue = ABSENT) -> Flat:
        """What the schema says about the value at a path; `arguments` choose between branches of unions."""
        here, value = self.flat(self.root, arguments), arguments
        for step in path:
            value = step_into(value, step)
            here = self.flat(self._part(here, step), value)
        return here

    def names(self, path: Path, arguments: JsonValue = ABSENT) -> Collection[str | int]:
        """The argument names that the schema knows at the object at a path."""
        properties = self.at(path, arguments).get("properties")
        return properties if isinstance(properties, dict) else ()

    def flat(self, schema: JsonValue, value: JsonValue = ABSENT, depth: int = 0) -> Flat:
        """One schema as a single table of keywords."""
        self._left -= 1
        if not isinstance(schema, dict) or depth > _DEEPEST or self._left < 0:
            return {}
        if _MERGED.isdisjoint(schema):
            return schema
        merged = {keyword: item for keyword, item in schema.items() if keyword not in _MERGED}
        for part in self._always(schema):
            _merge(merged, self.flat(part, value, depth + 1))
        for keyword in ("anyOf", "oneOf"):
            self._choose(merged, schema.get(keyword), value, depth)
        return merged

    def _always(self, schema: Flat) -> list[JsonValue]:
        parts = schema.get("allOf")
        found = list(parts[:_MOST_BRANCHES]) if isinstance(parts, list) else []
        found += [schema[keyword] for keyword in ("then", "else") if keyword in schema]
        target = self.target(schema.get("$ref"))
        return found if target is None else [target, *found]

    def _choose(self, merged: Flat, union: JsonValue, value: JsonValue, depth: int) -> None:
        if not isinstance(union, list):
            return
        parts = [self.flat(part, value, depth + 1) for part in union[:_MOST_BRANCHES] if isinstance(part, dict)]
        solid = [part for part in parts if part.get("type") != "null"]
        fitting = [part for part in solid if _fits(part, value)] if value is not ABSENT else solid
        chosen = fitting or solid
        if not chosen:
            return
        _merge(merged, chosen[0] if len(chosen) == 1 else {"properties": _joined(chosen)})
        if len(chosen) == 1 and len(solid) < len(parts):
            merged["type"] = [*_types(merged), "null"]
        elif len(chosen) > 1:
            merged[BRANCHES] = [*merged.get(BRANCHES, ()), *chosen, *(p for p in parts if p.get("type") == "null")]

    def _part(self, flat: Flat, step: str | int) -> JsonValue:
        if isinstance(step, int):
            items, prefix = flat.get("items"), flat.get("prefixItems")
            listed = items if isinstance(items, list) else prefix if isinstance(prefix, list) else []
            return listed[step] if step < len(listed) else items
        properties = flat.get("properties")
        if isinstance(properties, dict) and step in properties:
            return properties[step]
        patterns = flat.get("patternProperties")
        if isinstance(patterns, dict) and patterns:  # which of several it is would take their patterns
            return next(iter(patterns.values())) if len(patterns) == 1 else {"anyOf": list(patterns.values())}
        return flat.get("additionalProperties")

    def target(self, reference: JsonValue) -> JsonValue:
        """What a reference into the document points to; None for any other."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        here: JsonValue = self.root
        for token in reference[1:].split("/")[1:]:
            step = pointer_key(token)
            if isinstance(here, dict):
                here = here.get(step)
            elif isinstance(here, list) and step.isdecimal() and int(step[:9]) < len(here):
                here = here[int(step)]
            else:
                return None
        return here


def _merge(into: Flat, part: Flat) -> None:
    for keyword, item in part.items():
        present = into.get(keyword)
        if keyword == "properties" and isinstance(present, dict) and isinstance(item, dict):
            into[keyword] = {**item, **present}
        elif keyword == "required" and isinstance(present, list) and isinstance(item, list):
            into[keyword] = [*present, *(name for name in item if name not in present)]
        elif present is None and item is not None:
            into[keyword] = item


def _joined(branches: list[Flat]) -> Flat:
    """The properties of several branches; one that tells them apart has the values of all."""
    found: Flat = {}
    for branch in branches:
        properties = branch.get("properties")
        for name, part in properties.items() if isinstance(properties, dict) else ():
            before, after = _values(found.get(name)), _values(part)
            if name not in found:
                found[name] = part
            elif before and after:
                kept = {keyword: item for keyword, item in found[name].items() if keyword != "const"}
                found[name] = {**kept, "enum": [*before, *(value for value in after if value not in before)]}
    return found


def _values(part: JsonValue) -> list[JsonValue]:
    if not isinstance(part, dict):
        return []
    listed = [part["const"]] if "const" in part else part.get("enum")
    return listed if isinstance(listed, list) else []


def _types(flat: Flat) -> list[str]:
    listed = flat.get("type")
    names = listed if isinstance(listed, list) else [listed]
    return [name for name in names if isinstance(name, str)]


def _fits(flat: Flat, value: JsonValue) -> bool:
    """Whether a branch is meant by a value: its type, and its constants where the value holds them."""
    types = _types(flat)
    if types and not has_type(value, types):
        return False
    properties = flat.get("properties")
    if not isinstance(properties, dict) or not isinstance(value, dict):
        return True
    return all(_admits(part, value[name]) for name, part in properties.items() if name in value)


def _admits(part: JsonValue, value: JsonValue) -> bool:
    if not isinstance(part, dict):
        return True
    if "const" in part:
        return bool(part["const"] == value)
    return "enum" not in part or not isinstance(part["enum"], list) or value in part["enum"]
