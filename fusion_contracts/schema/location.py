"""All schemas that speak of one value: behind references and in every branch, whether or not it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from fusion_contracts.schema.document import Scope, enter

__all__ = ["DEPENDENT", "IN_PLACE", "Location", "in_place", "listed", "mapped", "named"]

Location: TypeAlias = tuple[tuple[dict[str, Any], Scope], ...]
DEPENDENT = ("dependentSchemas", "dependencies")
IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", *DEPENDENT})


def in_place(starts: Iterable[tuple[Any, Scope]], *, always: bool = False) -> Location:
    """Every schema about the same value as those given, with its scope, each once. What is no object is left out.

    `always`: without branches that may not hold.
    """
    found: dict[int, tuple[Any, Scope]] = {}
    pending = list(starts)
    while pending:
        schema, scope = pending.pop()
        if not isinstance(schema, dict) or id(schema) in found:
            continue
        scope = enter(schema, scope)
        found[id(schema)] = (schema, scope)
        if isinstance(schema.get("$ref"), str):
            target = scope.document.resolve(schema["$ref"], scope)
            pending += [target] if target is not None else []
        if IN_PLACE.isdisjoint(schema):
            continue
        pending += [(part, scope) for part in listed(schema, "allOf")]
        if always:
            continue
        pending += [(part, scope) for keyword in ("anyOf", "oneOf") for part in listed(schema, keyword)]
        pending += [(schema[keyword], scope) for keyword in ("if", "then", "else") if keyword in schema]
        pending += [(part, scope) for word in DEPENDENT for part in mapped(schema, word).values()]
    return tuple(found.values())


def named(starts: Iterable[tuple[Any, Scope]], *, always: bool = False) -> frozenset[str]:
    """The properties that any of these schemas names. `always` as for `in_place`."""
    return frozenset(name for schema, _ in in_place(starts, always=always) for name in mapped(schema, "properties"))


def mapped(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    """The value of a keyword that holds an object; empty where it holds none."""
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def listed(schema: dict[str, Any], keyword: str) -> list[Any]:
    """The value of a keyword that holds a list; empty where it holds none."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []
