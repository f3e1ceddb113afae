"""How many schemas a validator looks at to judge a value: it tries every branch, and each time what that refers to.

Definitions that refer to each other from their branches are few lines and an endless number of ways through them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Any

from fusion_contracts.schema.document import Document, Scope, enter, subschemas

__all__ = ["MOST", "Ways"]

MOST = 1_000_000
"""Schemas looked at for one value: a validator takes less than a second for so many."""
_REFERENCES = ("$ref", "$dynamicRef")
_HERE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
_OF_ITEMS = frozenset({"items", "contains", "unevaluatedItems"})
_OF_NAMES = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})


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
            named = Counter(_references(self._document.root))
            self._fork = prod(min(count, MOST) for count in named.values())
        if self._fork ** (1 + _levels(value)) <= most:  # what is written once is looked at once
            return False
        return self._looks(self._document.root, self._document.scope, value, {}) > most

    def _looks(self, schema: Any, scope: Scope, value: Any, known: dict[tuple[int, int], int]) -> int:
        """The looks from a schema on; one that is open already counts no further: it is a circle."""
        if not isinstance(schema, dict):
            return 1
        key = id(schema), id(value)
        if key not in known:
            known[key] = 1
            scope = enter(schema, scope)
            total = 1 + sum(times * self._looks(part, where, one, known) for part, where, one, times in self._next(
                schema, scope, value
            ))  # fmt: skip
            known[key] = min(total, MOST + 1)
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


def _references(schema: Any) -> Iterator[str]:
    """Every reference in a document, however deep."""
    pending = [schema]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            yield from (here[keyword] for keyword in _REFERENCES if isinstance(here.get(keyword), str))
            pending += here.values()
        elif isinstance(here, list):
            pending += here


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
