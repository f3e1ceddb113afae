"""A schema as a reader takes it: references followed, and spellings that mean the same brought to one form.

Each step is exact: the view accepts the same values as the schema.

- `{"$ref": R}` beside annotations alone is what R holds, with these annotations; beside other keywords it is a part
  of `allOf`;
- an `allOf` of parts that speak of different things is one schema;
- an `allOf`, `anyOf` or `oneOf` of one part is that part;
- `anyOf` or `oneOf` whose branches differ in type is one schema with a list of types (`anyOf: [X, null]`, as
  Pydantic writes an optional value);
- `const` is an `enum` of one.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from fusion_contracts.schema.document import Scope, enter
from fusion_contracts.schema.values import key_of
from fusion_contracts.schema.vocabulary import ANNOTATIONS, KEYWORDS_OF, PROSE, type_of

__all__ = ["View", "Viewer"]

Keywords: TypeAlias = dict[str, Any]
Typed: TypeAlias = tuple[tuple[str, ...], Keywords]

# Keywords of which an allOf may be taken apart: each speaks for itself.
SIMPLE = ANNOTATIONS | {
    "type", "properties", "required", "enum", "minLength", "maxLength", "pattern", "minimum", "maximum", "items",
}  # fmt: skip
COMPOSITIONS = ("allOf", "anyOf", "oneOf")
FORMS = frozenset({"$ref", "const", *COMPOSITIONS})  # what is brought to another form
NAMED_TYPES = (*KEYWORDS_OF, "boolean", "null")


class View(NamedTuple):
    """Keywords and where they are read from.

    `scope` resolves references inside. Where a `$ref` led to a definition, `reference` is the reference, and
    `definition` the view of what it holds, without what stands beside the `$ref`. `union` holds the keywords with the
    union that they were before its branches became one schema with a list of types.
    """

    keywords: Keywords
    scope: Scope
    reference: str | None = None
    definition: View | None = None
    union: Keywords | None = None


class Viewer:
    """Makes views, each once; the schemas seen are kept alive, since they are known by identity."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], tuple[Any, View]] = {}
        self._open: set[tuple[int, int]] = set()

    def view(self, schema: Any, scope: Scope) -> View:
        """The view of a schema. A boolean is `{}` or `{"not": {}}`."""
        key = (id(schema), id(scope.root))
        made = self._made.get(key)
        if made is not None:
            return made[1]
        if key in self._open:  # a cycle of references without progress: nothing is brought to another form
            return View(dict(schema), scope)
        self._open.add(key)
        try:
            view = self._view(schema, scope)
        finally:
            self._open.discard(key)
        self._made[key] = (schema, view)
        return view

    def _view(self, schema: Any, scope: Scope) -> View:
        if not isinstance(schema, dict):
            return View({} if schema is True else {"not": {}} if schema is False else {"$unreadable": schema}, scope)
        scope = enter(schema, scope)
        if FORMS.isdisjoint(schema):  # as most are
            return View(schema, scope)
        followed = self._follow(schema, scope)
        if followed is not None:
            return followed
        keywords = dict(schema)
        reference = keywords.get("$ref")
        if isinstance(reference, str) and not _only_refers(schema) and scope.document.resolve(reference, scope):
            # beside other keywords it is one more part
            parts = keywords.get("allOf")
            keywords["allOf"] = [*(parts if isinstance(parts, list) else []), {"$ref": keywords.pop("$ref")}]
        if "const" in keywords and "enum" not in keywords:
            keywords["enum"] = [keywords.pop("const")]
        keywords = self._merge_all(self._unwrapped(keywords, scope), scope)
        merged = self._merge_types(keywords, scope)
        return View(merged, scope, union=None if merged is keywords else keywords)

    def _follow(self, schema: Keywords, scope: Scope) -> View | None:
        """The view of what a reference beside annotations leads to; None for another schema, or a cycle."""
        if not _only_refers(schema):
            return None
        seen = set()
        prose = {keyword: value for keyword, value in schema.items() if keyword in PROSE}
        target: Any = schema
        pointer = None
        while _only_refers(target):
            found = scope.document.resolve(target["$ref"], scope)
            if found is None or id(found[0]) in seen:
                return None
            pointer = target["$ref"]
            seen.add(id(found[0]))
            target, scope = found
        inner = self.view(target, scope)
        union = None if inner.union is None else {**inner.union, **prose}
        return View({**inner.keywords, **prose}, inner.scope, pointer, inner, union)

    def _unwrapped(self, keywords: Keywords, scope: Scope) -> Keywords:
        """What a composition of a single part holds, when nothing but annotations stands beside it."""
        wrapped = next((k for k in COMPOSITIONS if isinstance(keywords.get(k), list) and len(keywords[k]) == 1), None)
        if wrapped is None:
            return keywords
        beside = {k: v for k, v in keywords.items() if k not in (wrapped, "$defs", "definitions")}
        if not beside.keys() <= ANNOTATIONS:
            return keywords
        inner = self.view(keywords[wrapped][0], scope)
        if inner.scope.root is not scope.root or "$unreadable" in inner.keywords:
            return keywords
        return {**inner.keywords, **beside}

    def _merge_all(self, keywords: Keywords, scope: Scope) -> Keywords:
        """Take simple parts of `allOf` up into the schema, when no two of them speak of the same thing."""
        parts = keywords.get("allOf")
        if not isinstance(parts, list) or not parts:
            return keywords
        merged = {k: v for k, v in keywords.items() if k not in ("allOf", "$defs", "definitions")}
        if not merged.keys() <= SIMPLE:
            return keywords
        for part in parts:
            inner = self.view(part, scope)
            if inner.scope.root is not scope.root or not inner.keywords.keys() <= SIMPLE:
                return keywords
            if not all(_take(merged, keyword, value) for keyword, value in inner.keywords.items()):
                return keywords
        return merged

    def _merge_types(self, keywords: Keywords, scope: Scope) -> Keywords:
        """One schema with a list of types, when the branches of a union differ in type and say nothing across types."""
        for union in ("anyOf", "oneOf"):
            branches = keywords.get(union)
            if not isinstance(branches, list) or not keywords.keys() <= ANNOTATIONS | {union}:
                continue
            parts = [part for part in (self._typed(branch, scope) for branch in branches) if part is not None]
            merged = _one_of_types(parts) if parts and len(parts) == len(branches) else None
            if merged is not None:
                return {**merged, **{k: v for k, v in keywords.items() if k != union}}
        return keywords

    def _typed(self, schema: Any, scope: Scope) -> Typed | None:
        """The types of a branch and its keywords, when every keyword speaks of these types alone."""
        inner = self.view(schema, scope)
        if inner.scope.root is not scope.root:
            return None
        types, listed = inner.keywords.get("type"), inner.keywords.get("enum")
        names: list[Any] = types if isinstance(types, list) else [types]
        if types is None and isinstance(listed, list):
            names = list(dict.fromkeys(map(type_of, listed)))
        if not names or not all(isinstance(name, str) and name in NAMED_TYPES for name in names):
            return None
        if not inner.keywords.keys() <= ANNOTATIONS.union(
            ("type", "enum"), *(KEYWORDS_OF.get(name, ()) for name in names)
        ):
            return None
        return tuple(names), {k: v for k, v in inner.keywords.items() if k != "type"}


def _only_refers(schema: Any) -> bool:
    """Whether a schema is a reference, with annotations at most."""
    return isinstance(schema, dict) and isinstance(schema.get("$ref"), str) and schema.keys() <= ANNOTATIONS | {"$ref"}


def _take(merged: Keywords, keyword: str, value: Any) -> bool:
    """Take one keyword of a part of `allOf` up; False where that would say something else."""
    present = merged.get(keyword)
    if keyword in ANNOTATIONS:
        merged.setdefault(keyword, value)
    elif keyword not in merged:
        merged[keyword] = value
    elif keyword == "required" and isinstance(present, list) and isinstance(value, list):
        merged[keyword] = [*present, *(name for name in value if name not in present)]
    elif keyword == "properties" and isinstance(present, dict) and isinstance(value, dict):
        if any(key_of(present[name]) != key_of(value[name]) for name in present.keys() & value.keys()):
            return False
        merged[keyword] = {**present, **value}
    else:
        return key_of(present) == key_of(value)
    return True


def _one_of_types(parts: list[Typed]) -> Keywords | None:
    """Branches of different types as one schema; None where two share a type, or one alone has a list of values."""
    types = [name for names, _ in parts for name in names]
    kinds = {"number" if name == "integer" else name for name in types}
    if len(kinds) != len(types):
        return None
    merged: Keywords = {}
    for _, keywords in parts:
        merged.update({k: v for k, v in keywords.items() if k not in PROSE or k not in merged})
    merged["type"] = types[0] if len(types) == 1 else types
    if "enum" in merged:
        lists = [_listed(names, keywords) for names, keywords in parts]
        if None in lists:
            return None
        merged["enum"] = [value for values in lists for value in values or ()]
    return merged


def _listed(names: tuple[str, ...], keywords: Keywords) -> list[Any] | None:
    """The values of a branch where they are listed, those of its types."""
    listed = keywords.get("enum", [None] if names == ("null",) else None)
    fitting = {*names, "integer"} if "number" in names else names
    return [value for value in listed if type_of(value) in fitting] if isinstance(listed, list) else None
