"""A text under which equal recursive definitions of two documents are equal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fusion_contracts.schema.document import Scope, subschemas
from fusion_contracts.schema.vocabulary import ANNOTATIONS

__all__ = ["fingerprint"]

DEFINITIONS = ("$defs", "definitions")


def fingerprint(target: Any, scope: Scope) -> str:
    """The text of a schema and of all that it refers to, without annotations.

    Where that leads into a resource of its own, a text that no other schema has.
    """
    if scope.root is not scope.document.root:
        return f"{id(target)}"
    reached: dict[str, Any] = {}
    pending = [target]
    while pending:
        for reference in _references(pending.pop()):
            if reference not in reached:
                found = scope.document.resolve(reference, scope)
                if found is not None and found[1].root is not scope.root:
                    return f"{id(target)}"
                reached[reference] = None if found is None else found[0]
                pending.append(reached[reference])
    named = {reference: _bare(part) for reference, part in reached.items()}
    return json.dumps([_bare(target), named], sort_keys=True)


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
