"""How many schemas a validator looks at to judge a value: it tries every branch, and each time what that refers to.

Definitions that refer to each other from their branches are few lines and an endless number of ways through them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from math import factorial, prod
from typing import Any

from fusion_contracts.schema.document import Document, Graft, Scope, enter, may_refer, subschemas
from fusion_contracts.schema.location import IN_PLACE

__all__ = ["MOST", "Ways", "references"]

MOST = 1_000_000
"""Schemas looked at for one value: a validator takes less than a second for so many."""
_REFERENCES = ("$ref", "$dynamicRef")
_HERE = IN_PLACE | {"not"}
_OF_ITEMS = frozenset({"items", "contains", "unevaluatedItems"})
_OF_NAMES = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})
_PLAIN = re.compile(r"#(?:/(?:\$defs|definitions|properties)/[^%~/]+)?")
"""References of which no two that are written differently lead to the same schema."""
_RETURNS = 20  # the ways round so many circles are too many anyway


class Ways:
    """Counts for one 2020-12 document."""

    def __init__(self, schema: Any) -> None:
        self._document = Document(schema)
        self._fork: int | None = None

    @classmethod
    def of(cls, schema: Any) -> Ways:
        """Those of a schema in any dialect; of one that cannot be read, as it stands."""
        from fusion_contracts.schema.dialect import Untranslatable, dialect_of, translate

        try:
            return cls(translate(schema, dialect_of(schema)))
        except (Untranslatable, RecursionError):
            return cls(schema)

    def too_many(self, value: Any, most: int = MOST) -> bool:
        """Whether judging a value may take more than `most` looks at schemas, `MOST` of them at the most."""
        if self._fork is None:
            self._fork = self._forks()
        if self._fork == 1 or self._fork ** (1 + _levels(value)) <= most:  # what is written once is looked at once
            return False
        return self._looks(self._document.root, self._document.scope, value, {}) > most

    def _forks(self) -> int:
        """The ways through the references at one level of a value; more than `MOST` where they have to be gone."""
        if not may_refer(self._document.root):  # nearly all schemas
            return 1
        named = Counter(references(self._document.root))
        plain = all(map(_PLAIN.fullmatch, named)) and not _is_composed(self._document.root)
        if not plain or self._is_circular(named):
            return MOST + 1
        return min(prod(min(count, MOST) for count in named.values()), MOST + 1)

    def _is_circular(self, references: Iterable[str]) -> bool:
        """Whether one of these, followed without going into the value, leads to itself."""
        scope = self._document.scope
        found = ((reference, self._document.resolve(reference, scope)) for reference in references)
        try:
            TopologicalSorter({name: set(_at_once(target[0])) for name, target in found if target}).prepare()
        except CycleError:
            return True
        return False

    def _looks(self, schema: Any, scope: Scope, value: Any, known: dict[tuple[int, int, int], int]) -> int:
        """The looks from a schema on. Of one that is open `known` has how often it was met again, below zero.

        That is a circle, which a validator goes round by each of its references once, in every order.
        """
        if not isinstance(schema, dict):
            return 1
        key = id(schema), id(scope.root), id(value)
        if key in known and known[key] <= 0:
            known[key] -= 1
            return 1
        if key not in known:
            known[key] = 0
            scope = enter(schema, scope)
            total = 1 + sum(times * self._looks(part, where, one, known) for part, where, one, times in self._next(
                schema, scope, value
            ))  # fmt: skip
            returns = min(-known[key], _RETURNS)
            known[key] = min(factorial(returns) * min(total, MOST + 1) ** (returns + 1), MOST + 1)
        return known[key]

    def _next(self, schema: dict[str, Any], scope: Scope, value: Any) -> Iterator[tuple[Any, Scope, Any, int]]:
        """The schemas that are looked at next, each with its scope, the value that it judges, and how often."""
        for keyword in _REFERENCES:
            reference = schema.get(keyword)
            target = scope.document.resolve(reference, scope) if isinstance(reference, str) else None
            if target is not None:
                yield *target, value, 1
        held = value if isinstance(value, dict) else {}
        items = value if isinstance(value, list) else []
        for path, part in subschemas(schema):
            word, key = path[0], path[-1]
            if word in _HERE:
                yield part, scope, value, 1
            elif word == "properties" and key in held:
                yield part, scope, held[str(key)], 1
            elif word == "propertyNames":
                yield part, scope, None, len(held)
            elif word in _OF_NAMES:
                yield from ((part, scope, one, 1) for one in held.values())
            elif word in _OF_ITEMS:
                yield from ((part, scope, one, 1) for one in items)
            elif word == "prefixItems" and len(items) > int(key):
                yield part, scope, items[int(key)], 1


def references(schema: Any) -> Iterator[str]:
    """Every reference in a document, however deep."""
    pending = [schema]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            yield from _written(here)
            pending += here.values()
        elif isinstance(here, list):
            pending += here


def _is_composed(root: Any) -> bool:
    """Whether a document holds others, in which the same reference leads elsewhere."""
    pending = [root]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            if isinstance(here, Graft) or ("$id" in here and here is not root):
                return True
            pending += here.values()
        elif isinstance(here, list):
            pending += here
    return False


def _at_once(schema: Any) -> Iterator[str]:
    """The references of a schema, and of those within it, that judge the same value."""
    pending = [schema]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            yield from _written(here)
            pending += (part for path, part in subschemas(here) if path[0] in _HERE)


def _written(schema: dict[str, Any]) -> Iterator[str]:
    yield from (schema[keyword] for keyword in _REFERENCES if isinstance(schema.get(keyword), str))


def _levels(value: Any) -> int:
    """The levels of objects and arrays in a value."""
    level, count = [value], 0
    while level := [
        one
        for holder in level
        if isinstance(holder, dict | list)
        for one in (holder.values() if isinstance(holder, dict) else holder)
    ]:
        count += 1
    return count
