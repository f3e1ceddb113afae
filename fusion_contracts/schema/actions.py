"""Tools that hold several actions in one: which argument selects, which values it has, and what each action takes.

A schema is grouped when one required string property selects which other arguments hold: it has a const or an enum in
every branch of a root `oneOf`/`anyOf`, or a root `if` (alone or inside `allOf`) tests it, or descriptions say
"Required for: VALUE" about values of its enum. A required enum alone groups nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from fusion_contracts.schema.document import Document
from fusion_contracts.schema.vocabulary import ANNOTATIONS

__all__ = ["Grouping", "grouping", "grouping_by"]

Schema: TypeAlias = dict[str, Any]
REQUIRED_FOR = re.compile(r"\bRequired for:\s*([^.\n]+)")
UNIONS = ("oneOf", "anyOf")
SELECTING = ANNOTATIONS | {"const", "enum", "type"}  # a test of more than these is not settled by the value alone


class Grouping(NamedTuple):
    """The actions of one schema: the property that selects, and its values in the schema's order.

    `closed`: every call has one of these values. `effective` gives the schema of one action: the whole schema where
    `discriminator` is the value. Keywords stay where they are, so that pointers into it are pointers into the whole;
    branches of other actions are `false`, conditions are settled.
    """

    discriminator: str
    values: tuple[str, ...]
    closed: bool
    effective: Callable[[str], Schema]


def grouping(schema: Any) -> Grouping | None:
    """How a 2020-12 schema is grouped, or None where it is one action."""
    if not isinstance(schema, dict):
        return None
    return _by_union(schema) or _by_condition(schema) or _by_prose(schema)


def grouping_by(schema: Any, name: str) -> Grouping | None:
    """How a schema holds actions that another version of it selects by `name`; None where it lists no values of it.

    Also where it would group nothing by itself: a single action that is left, or a plain closed list of actions.
    """
    if not isinstance(schema, dict):
        return None
    found = grouping(schema)
    if found is not None and found.discriminator == name:
        return found
    for union in UNIONS:
        branches = _followed(schema, union)
        if branches and name in _names_everywhere(branches, schema):
            return _union_grouping(schema, union, name, [_constants(branch, name) for branch in branches])
    values = _constants(schema, name)
    if not values or name not in _required(schema):
        return None
    return Grouping(name, tuple(values), True, lambda value: _selected(schema, name, value))


def _by_union(schema: Schema) -> Grouping | None:
    for union in UNIONS:
        branches = _followed(schema, union)
        for name in _names_everywhere(branches, schema) if len(branches) > 1 else ():
            admitted = [_constants(branch, name) for branch in branches]
            if len(set(map(tuple, admitted))) > 1:
                return _union_grouping(schema, union, name, admitted)
    return None


def _followed(schema: Schema, union: str) -> list[Any]:
    """The branches of a root union, behind their references."""
    branches = schema.get(union)
    return [_follow(branch, schema) for branch in branches] if isinstance(branches, list) else []


def _union_grouping(schema: Schema, union: str, name: str, admitted: list[list[str]]) -> Grouping:
    values = tuple(dict.fromkeys(value for each in admitted for value in each))
    return Grouping(name, values, True, _union_limit(schema, union, name, admitted))


def _names_everywhere(branches: list[Any], schema: Schema) -> Iterator[str]:
    """Properties with a closed list of strings in every branch, required in each."""
    first = branches[0].get("properties") if isinstance(branches[0], dict) else None
    for name in first if isinstance(first, dict) else ():
        everywhere = name in _required(schema)
        if all(_constants(branch, name) and (everywhere or name in _required(branch)) for branch in branches):
            yield name


def _union_limit(schema: Schema, union: str, name: str, admitted: list[list[str]]) -> Callable[[str], Schema]:
    def limit(value: str) -> Schema:
        pairs = zip(schema[union], admitted, strict=True)
        branches = [branch if value in values else False for branch, values in pairs]
        return _selected({**schema, union: branches}, name, value)

    return limit


def _by_condition(schema: Schema) -> Grouping | None:
    tests = [test for test in map(_test, _conditional_parts(schema)) if test is not None]
    for name in dict.fromkeys(name for name, _ in tests):
        if name not in _required(schema):
            continue
        listed = _constants(schema, name)
        tested = [value for tested_name, values in tests if tested_name == name for value in values]
        values = tuple(dict.fromkeys([*listed, *(value for value in tested if not listed)]))
        if values:
            return Grouping(name, values, bool(listed), _condition_limit(schema, name))
    return None


def _conditional_parts(schema: Schema) -> list[Any]:
    parts = schema.get("allOf")
    return [schema, *(parts if isinstance(parts, list) else [])]


def _test(part: Any) -> tuple[str, list[str]] | None:
    """The one property that an `if` tests, and the strings it tests for."""
    condition = part.get("if") if isinstance(part, dict) and ("then" in part or "else" in part) else None
    if not isinstance(condition, dict) or not set(condition) <= {"properties", "required", "type"}:
        return None
    properties = condition.get("properties")
    if not isinstance(properties, dict) or len(properties) != 1:
        return None
    name, tested = next(iter(properties.items()))
    values = _constants(condition, name)
    if not values or not tested.keys() <= SELECTING or set(_required(condition)) - {name}:
        return None
    if not _takes(condition, "object") or not _takes(tested, "string"):
        return None
    listed = tested.get("enum", values)  # beside a const
    return name, [value for value in values if not isinstance(listed, list) or value in listed]


def _takes(schema: Schema, kind: str) -> bool:
    """Whether `type` lets values of a kind through."""
    types = schema.get("type", kind)
    return kind in (types if isinstance(types, list) else [types])


def _condition_limit(schema: Schema, name: str) -> Callable[[str], Schema]:
    def settle(part: Any, value: str) -> Any:
        test = _test(part)
        if test is None or test[0] != name:
            return part
        kept, dropped = ("then", "else") if value in test[1] else ("else", "then")
        return {**{k: v for k, v in part.items() if k != dropped}, "if": kept == "then"}

    def limit(value: str) -> Schema:
        limited = settle(schema, value)
        if isinstance(limited.get("allOf"), list):
            limited = {**limited, "allOf": [settle(part, value) for part in limited["allOf"]]}
        return _selected(limited, name, value)

    return limit


def _by_prose(schema: Schema) -> Grouping | None:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    listed = {name: values for name in _required(schema) if len(values := _constants(schema, name)) > 1}
    said = {value for part in properties.values() for value in required_for(part)} if listed else set()
    for name, values in listed.items():
        if said and said <= set(values):
            return Grouping(name, tuple(values), True, lambda value, name=name: _selected(schema, name, value))  # type: ignore[misc]
    return None


def required_for(part: Any) -> list[str]:
    """The actions that a property's description says it is required for."""
    text = part.get("description") if isinstance(part, dict) else None
    found = REQUIRED_FOR.search(text) if isinstance(text, str) else None
    return [word.strip(" '\"`") for word in re.split(r",|\band\b", found[1]) if word.strip(" '\"`")] if found else []


def _selected(schema: Schema, name: str, value: str) -> Schema:
    """The schema where the discriminator has one value."""
    parts = schema.get("allOf")
    chosen = {"properties": {name: {"const": value}}, "required": [name]}
    return {**schema, "allOf": [*(parts if isinstance(parts, list) else []), chosen]}


def _follow(branch: Any, schema: Schema) -> Any:
    document = Document(schema)
    seen = 0
    while isinstance(branch, dict) and isinstance(branch.get("$ref"), str) and seen < 10:  # noqa: PLR2004 - a cycle ends here
        found = document.resolve(branch["$ref"], document.scope)
        if found is None:
            return branch
        branch, seen = found[0], seen + 1
    return branch


def _constants(schema: Any, name: str) -> list[str]:
    """The strings that a property may be, where they are a closed list."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    part = properties.get(name) if isinstance(properties, dict) else None
    if not isinstance(part, dict):
        return []
    values = [part["const"]] if "const" in part else part.get("enum")
    return list(values) if isinstance(values, list) and values and all(isinstance(v, str) for v in values) else []


def _required(schema: Any) -> list[str]:
    names = schema.get("required") if isinstance(schema, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
