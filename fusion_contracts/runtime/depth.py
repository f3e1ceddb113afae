"""How deep arguments may be nested, so that judging them ends: in time, and without ending the process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.shape import Shape

__all__ = ["judgeable", "listable"]

_DEEPEST = 128  # levels; some thousands end the validator's stack, and the whole process with it
_MOST_VALUES = 1_000_000  # objects and lists; one list may stand in many places
_SHALLOW = 8  # levels at which no schema is looked at
_MOST_WAYS = 2**14  # through the branches of a union that holds itself; each level multiplies them
_MOST_SCHEMAS = 50_000
_NESTING = (dict, list, tuple)
_UNIONS = ("anyOf", "oneOf")


def judgeable(arguments: JsonValue) -> bool:
    """Whether a validator can walk the arguments."""
    return _levels(arguments) <= _DEEPEST


def listable(schema: JsonValue, arguments: JsonValue) -> bool:
    """Whether what a validator refuses can be listed.

    A union that holds itself is tried branch by branch on each level, whatever was sent there.
    """
    levels = _levels(arguments)
    if levels <= _SHALLOW:
        return True
    width = _width(schema)
    return levels <= (_DEEPEST if width < 2 else math.log(_MOST_WAYS, width))  # noqa: PLR2004 - one branch is no choice


def _levels(arguments: JsonValue) -> int:
    """The levels of objects and lists, counted up to one more than may be."""
    level = [arguments] if isinstance(arguments, _NESTING) else []
    met = 0
    for depth in range(_DEEPEST + 1):
        inner: list[JsonValue] = []
        for outer in level:
            for value in outer.values() if isinstance(outer, dict) else outer:
                if isinstance(value, _NESTING):
                    inner.append(value)  # noqa: PERF401 - every call comes here: a comprehension costs more
            if met + len(inner) > _MOST_VALUES:
                return _DEEPEST + 1
        if not inner:
            return depth
        level = inner
        met += len(inner)
    return _DEEPEST + 1


def _width(schema: JsonValue) -> int:
    """The most branches of one union, in a schema that refers to a part of itself which holds the reference; else 1."""
    shape = Shape(schema)
    widest, targets = 1, {"#": _references(schema)}
    for part in _schemas(schema):
        for keyword in _UNIONS:
            union = part.get(keyword)
            solid = [branch for branch in union if _is_nested(branch)] if isinstance(union, list) else []
            widest = max(widest, len(solid))
    waiting = list(targets["#"])
    while waiting:
        reference = waiting.pop()
        if reference not in targets:
            targets[reference] = _references(shape.target(reference))
            waiting += targets[reference]
    return widest if any(_returns(targets, reference) for reference in targets) else 1


def _is_nested(branch: Any) -> bool:
    """Whether a branch can hold other values: a reference, an object or a list."""
    return isinstance(branch, dict) and any(
        isinstance(item, (dict, list)) or key == "$ref" for key, item in branch.items()
    )


def _schemas(schema: JsonValue) -> Iterator[dict[str, Any]]:
    stack: list[Any] = [schema]
    for _ in range(_MOST_SCHEMAS):
        if not stack:
            return
        here = stack.pop()
        if isinstance(here, dict):
            yield here
            stack += here.values()
        elif isinstance(here, list):
            stack += here


def _references(schema: JsonValue) -> set[str]:
    found = (part.get(keyword) for part in _schemas(schema) for keyword in ("$ref", "$dynamicRef", "$recursiveRef"))
    return {reference for reference in found if isinstance(reference, str)}


def _returns(targets: dict[str, set[str]], start: str) -> bool:
    """Whether following references leads back to where they start."""
    seen: set[str] = set()
    waiting = list(targets[start])
    while waiting:
        reference = waiting.pop()
        if reference == start:
            return True
        if reference not in seen:
            seen.add(reference)
            waiting += targets.get(reference, ())
    return False
