"""A name under which equal recursive definitions of two documents are equal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from fusion_contracts.schema.document import Scope, subschemas
from fusion_contracts.schema.vocabulary import ANNOTATIONS

__all__ = ["Fingerprints"]

DEFINITIONS = ("$defs", "definitions")


class Fingerprints:
    """Makes them, reading each definition once: in a web of definitions every one leads to all others."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[Any, str, tuple[str, ...]]] = {}
        self._webs: dict[frozenset[tuple[str, str]], str] = {}
        self._made: dict[tuple[int, int], tuple[Any, Scope, str]] = {}
        self._reached: dict[tuple[int, int], dict[str, Any]] = {}

    def of(self, target: Any, scope: Scope) -> str:
        """A name for a schema and all that it refers to, without annotations: equal for equal texts.

        Where that leads into a resource of its own, a name that no other schema has.
        """
        key = id(target), id(scope.root)
        if key not in self._made:
            self._made[key] = target, scope, self._of(target, scope)
        return self._made[key][2]

    def _of(self, target: Any, scope: Scope) -> str:
        reached = None if scope.root is not scope.document.root else self._reached_from(target, scope)
        if reached is None:
            return f"{id(target)}"
        web = frozenset((reference, self._known(part)[0]) for reference, part in reached.items())
        if web not in self._webs:
            self._webs[web] = _digest(sorted(web))
        return f"{self._known(target)[0]} {self._webs[web]}"

    def _reached_from(self, target: Any, scope: Scope) -> dict[str, Any] | None:
        """All references that a schema leads to, and what they refer to; None where one leads into another resource."""
        reached: dict[str, Any] = {}
        pending = [target]
        while pending:
            for reference in self._known(pending.pop())[1]:
                if reference in reached:
                    continue
                found = scope.document.resolve(reference, scope)
                if found is not None and found[1].root is not scope.root:
                    return None
                part = reached[reference] = None if found is None else found[0]
                known = self._reached.get((id(part), id(scope.root)))
                if known is None:
                    pending.append(part)
                else:
                    reached |= known
        self._reached[id(target), id(scope.root)] = reached
        return reached

    def _known(self, schema: Any) -> tuple[str, tuple[str, ...]]:
        """The digest of a schema's own text, and the references in it."""
        known = self._read.get(id(schema))
        if known is None:
            try:
                text = _digest(_bare(schema))
            except ValueError:  # Python writes no number of more than 4,300 digits: equal to nothing but itself
                text = f"{id(schema)}"
            known = self._read[id(schema)] = (schema, text, tuple(_references(schema)))
        return known[1], known[2]


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _references(schema: Any) -> Iterator[str]:
    pending = [schema]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            if isinstance(here.get("$ref"), str):
                yield here["$ref"]
            pending.extend(part for path, part in subschemas(here) if path[0] not in DEFINITIONS)


def _bare(schema: Any) -> Any:
    """The schema without annotations; only what changes is copied."""
    if not isinstance(schema, dict):
        return schema
    bare = {keyword: value for keyword, value in schema.items() if keyword not in ANNOTATIONS}
    for path, part in subschemas(schema):
        if path[0] in DEFINITIONS:
            continue
        keyword = str(path[0])
        if len(path) == 1:
            bare[keyword] = _bare(part)
            continue
        if bare[keyword] is schema[keyword]:
            bare[keyword] = type(schema[keyword])(schema[keyword])
        bare[keyword][path[1]] = _bare(part)
    return bare
