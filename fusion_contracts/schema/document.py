"""Where subschemas stand in a 2020-12 document, and what its references point to. Nothing is ever fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from fusion_contracts.canonical import pointer_key, text_of

__all__ = [
    "MISSING", "REFERENCES", "UNMARKED", "Document", "Graft", "Scope", "enter", "may_refer", "step", "subschemas",
]  # fmt: skip

MISSING: Any = object()
UNMARKED = "$unmarked"  # our own keyword: for the unevaluatedItems beside it `contains` may mark no items as evaluated
LONGEST_INDEX = 10
SINGLE = (
    "not", "if", "then", "else", "additionalProperties", "propertyNames", "items", "contains", "unevaluatedProperties",
    "unevaluatedItems",
)  # fmt: skip
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
MAPS = ("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")
REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_REFERENCE = re.compile(rb"\$(?:ref|dynamicRef|recursiveRef)")  # their names, in a dump


def may_refer(root: Any) -> bool:
    """Whether a document may hold a reference. Most hold none, which C finds out in no time; a mention counts too."""
    text = text_of(root)
    return text is None or _REFERENCE.search(text) is not None


def subschemas(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas directly inside one, each with its path: (keyword,) or (keyword, key)."""
    if not isinstance(schema, dict):
        return
    for keyword in SINGLE:
        if keyword in schema:
            yield (keyword,), schema[keyword]
    for keyword in LISTS:
        if isinstance(schema.get(keyword), list):
            yield from (((keyword, index), part) for index, part in enumerate(schema[keyword]))
    for keyword in MAPS:
        if isinstance(schema.get(keyword), dict):
            yield from (((keyword, name), part) for name, part in schema[keyword].items())


def step(value: Any, token: str) -> Any:
    """What stands under one token of a pointer, or MISSING."""
    if isinstance(value, dict):
        return value.get(token, MISSING)
    if isinstance(value, list) and len(token) < LONGEST_INDEX and token.isdecimal() and int(token) < len(value):
        return value[int(token)]
    return MISSING


def _absolute(base: str, reference: str) -> tuple[str, str] | None:
    """A reference resolved against a base, and its fragment; None for what is no URI reference."""
    try:
        target, fragment = urldefrag(reference)
        return urljoin(base, target) if target else base, fragment
    except ValueError:
        return None


class Scope(NamedTuple):
    """Where references are resolved from: a document, and the base URI and root of the resource within it."""

    document: Document
    base: str
    root: Any


class Graft(dict[str, Any]):
    """A subschema taken from another document: its references are resolved there."""

    __slots__ = ("scope",)
    scope: Scope

    @classmethod
    def of(cls, schema: dict[str, Any], scope: Scope) -> Graft:
        """A copy of a schema that stands in the given scope."""
        graft = cls(schema)
        graft.scope = scope
        return graft


def enter(schema: dict[str, Any], scope: Scope) -> Scope:
    """The scope inside a schema: its own where it has an `$id`, that of its document where it is a graft."""
    if isinstance(schema, Graft):
        scope = schema.scope
    identity = schema.get("$id")
    if not isinstance(identity, str) or schema is scope.root:
        return scope
    found = _absolute(scope.base, identity)
    return scope if found is None else Scope(scope.document, found[0], schema)


class Document:
    """One schema document: its root, and the resources and anchors inside, found when first asked for."""

    def __init__(self, root: Any) -> None:
        self.root = root
        identity = root.get("$id") if isinstance(root, dict) else None
        found = _absolute("", identity) if isinstance(identity, str) else None
        self.scope = Scope(self, "" if found is None else found[0], root)
        self._resources: dict[str, Scope] | None = None
        self._anchors: dict[tuple[str, str], tuple[Any, Scope]] = {}
        self._resolved: dict[tuple[str, int], tuple[Any, Scope] | None] = {}  # by the root of the scope, which lives on

    def resolve(self, reference: str, scope: Scope) -> tuple[Any, Scope] | None:
        """What a reference points to and the scope there, or None where the document does not hold it."""
        key = reference, id(scope.root)
        if key not in self._resolved:
            self._resolved[key] = self._resolve(reference, scope)
        return self._resolved[key]

    def _resolve(self, reference: str, scope: Scope) -> tuple[Any, Scope] | None:
        found = _absolute(scope.base, reference)
        if found is None:
            return None
        target, fragment = found[0], unquote(found[1])
        if reference and not reference.startswith("#"):
            resource = self._index().get(target)
            if resource is None:
                return None
            scope = resource
        if not fragment:
            return scope.root, scope
        if fragment.startswith("/"):
            return self._walk(fragment, scope)
        self._index()
        return self._anchors.get((scope.base, fragment))

    def _walk(self, pointer: str, scope: Scope) -> tuple[Any, Scope] | None:
        here = scope.root
        for token in map(pointer_key, pointer[1:].split("/")):
            here = step(here, token)
            if here is MISSING:
                return None
            if isinstance(here, dict):
                scope = enter(here, scope)
        return here, scope

    def _index(self) -> dict[str, Scope]:
        if self._resources is None:
            self._resources = {self.scope.base: self.scope}
            pending = [(self.root, self.scope)]
            while pending:
                schema, scope = pending.pop()
                if not isinstance(schema, dict):
                    continue
                scope = enter(schema, scope)
                self._resources.setdefault(scope.base, scope)
                for keyword in ("$anchor", "$dynamicAnchor"):
                    if isinstance(schema.get(keyword), str):
                        self._anchors.setdefault((scope.base, schema[keyword]), (schema, scope))
                pending.extend((part, scope) for _, part in subschemas(schema))
        return self._resources
