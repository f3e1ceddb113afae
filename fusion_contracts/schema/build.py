"""From a 2020-12 schema to a formula. Annotations vanish here; what cannot be read becomes an opaque fact."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from fusion_contracts.schema.document import UNMARKED, Document, Scope, enter
from fusion_contracts.schema.fingerprint import Fingerprints
from fusion_contracts.schema.formula import KINDS_OF, Space
from fusion_contracts.schema.unevaluated import unevaluated
from fusion_contracts.schema.values import exact, is_number

__all__ = ["Builder"]

Keywords: TypeAlias = dict[str, Any]
LONGEST_SHOWN = 200
_DEPENDENCIES = "dependencies since 2019-09"
WORK_OF_REFERENCE = 4  # schemas that take as long to look at


class Builder:
    """Builds formulas in one space. Documents may share subschemas (the same objects): each is read once."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._keep_samples = False
        self._fingerprints = Fingerprints()
        self._alone: dict[int, int] = {}  # schemas without a reference say the same in every document
        self._built: dict[tuple[int, int], int] = {}
        self._references = 0  # how many were met so far
        self.reads = 0  # schemas looked at so far, as a measure of work
        self.doubts = False  # whether something has two readings
        self._alive: list[Any] = []  # keys above are identities: what they name must stay alive
        self._open: dict[int, int] = {}  # schemas being built, and how deep in the instance each stands
        self._depth = 0

    def document(self, root: Any, *, samples: bool = False) -> int:
        """The formula of a whole document. `samples`: its properties show which values are wanted for them."""
        self._keep_samples = samples
        return self.build(root, Document(root).scope)

    def argument(self, scope: Scope, name: str, *, samples: bool = False) -> int:
        """The formula of what `properties` says of a name at the root of a document. `samples` as for `document`."""
        self._keep_samples = samples
        root = scope.root
        outer = self._open.get(id(root))
        self._open[id(root)] = self._depth  # a reference to the root is one to the whole
        try:
            return self._property(name, root["properties"][name], scope)
        finally:
            self._left(root, outer)

    def build(self, schema: Any, scope: Scope) -> int:
        """The formula of one schema."""
        space = self.space
        self.reads += 1
        if schema is True:
            return space.true
        if schema is False:
            return space.false
        if not isinstance(schema, dict):
            return self._opaque("schema", schema)
        if id(schema) in self._alone:
            return self._alone[id(schema)]
        scope = enter(schema, scope)
        key = (id(schema), id(scope.root))
        if key in self._built:
            self._references += 1
            return self._built[key]
        self._alive.append((schema, scope))
        references = self._references
        outer = self._open.get(id(schema))  # an edited document may hold a schema inside itself
        self._open[id(schema)] = self._depth
        try:
            formula = space.both(self._parts(schema, scope))
        finally:
            self._left(schema, outer)
        if self._references == references:
            self._alone[id(schema)] = formula
        else:
            self._built[key] = formula
        return formula

    def _left(self, schema: Any, outer: int | None) -> None:
        """A schema is no longer being built, or it is again where it was being built before."""
        if outer is None:
            del self._open[id(schema)]
        else:
            self._open[id(schema)] = outer

    def below(self, schema: Any, scope: Scope) -> int:
        """The formula of a schema about a part of the instance (a property, an item)."""
        self._depth += 1
        try:
            return self.build(schema, scope)
        finally:
            self._depth -= 1

    def _parts(self, schema: dict[str, Any], scope: Scope) -> Iterator[int]:
        for keyword, value in schema.items():
            reader = READERS.get(keyword)
            if reader is not None:
                yield from reader(self, value, schema, scope)
        if "if" in schema and ("then" in schema or "else" in schema):
            parts = [self.build(schema.get(name, True), scope) for name in ("if", "then", "else")]
            yield self.space.make("if", *parts)
        # What speaks of all other names comes last: a witness prefers the names that the schema speaks of.
        if "additionalProperties" in schema:
            yield self._additional(schema["additionalProperties"], schema, scope)
        for keyword, sibling in (("unevaluatedProperties", "additionalProperties"), ("unevaluatedItems", "items")):
            if keyword in schema and sibling not in schema:
                yield unevaluated(self, schema, scope, keyword)
                if keyword == "unevaluatedItems" and UNMARKED in schema:
                    fewer = unevaluated(self, schema, scope, keyword, marked=False)
                    yield self._doubted(fewer, "contains beside unevaluatedItems in 2019-09")

    def _opaque(self, keyword: str, value: Any) -> int:
        return self.space.make("opaque", f"cannot read {keyword} {json.dumps(value, sort_keys=True)[:LONGEST_SHOWN]}")

    # Each reader takes the keyword's value, its schema and the scope there, and gives the facts that it states.

    def _type(self, value: Any, _schema: Keywords, _scope: Scope) -> Iterable[int]:
        if isinstance(value, str) and value in KINDS_OF:
            return (self.space.make("type", KINDS_OF[value]),)
        names = value if isinstance(value, list) and value else [value]
        if not all(isinstance(name, str) and name in KINDS_OF for name in names):
            return (self._opaque("type", value),)
        mask = 0
        for name in names:
            mask |= KINDS_OF[name]
        return (self.space.make("type", mask),)

    def _enum(self, value: Any, _schema: Keywords, _scope: Scope) -> Iterable[int]:
        return (self.space.enum(value) if isinstance(value, list) else self._opaque("enum", value),)

    def _const(self, value: Any, _schema: Keywords, _scope: Scope) -> Iterable[int]:
        return (self.space.enum([value]),)

    def _required(self, value: Any, _schema: Keywords, _scope: Scope) -> Iterator[int]:
        yield from self._names_sent("required", value)

    def _names_sent(self, keyword: str, names: Any) -> Iterator[int]:
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            yield from (self.space.make("req", name) for name in names)
        else:
            yield self._opaque(keyword, names)

    def _properties(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        if not isinstance(value, dict):
            yield self._opaque("properties", value)
            return
        for name, part in value.items():
            formula = self._property(name, part, scope)
            if formula != self.space.true:
                yield self.space.make("prop", name, formula)

    def _property(self, name: str, part: Any, scope: Scope) -> int:
        formula = self.below(part, scope)
        if self._keep_samples and isinstance(part, dict):
            self.space.shown.setdefault((name, formula), []).append(part)
        return formula

    def _patterns(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        if not isinstance(value, dict):
            yield self._opaque("patternProperties", value)
            return
        for pattern, part in value.items():
            formula = self.below(part, scope)
            if formula != self.space.true:
                yield self.space.make("pat", pattern, formula)

    def _additional(self, value: Any, schema: Keywords, scope: Scope) -> int:
        formula = self.below(value, scope)
        if formula == self.space.true:
            return formula
        spoken = (schema.get(keyword) for keyword in ("properties", "patternProperties"))
        names, patterns = (frozenset(keys) if isinstance(keys, dict) else frozenset() for keys in spoken)
        return self.space.make("addl", names, patterns, formula)

    def _names(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        yield self.space.make("names", self.below(value, scope))

    def _dependent_required(self, value: Any, _schema: Keywords, _scope: Scope) -> Iterator[int]:
        if not isinstance(value, dict):
            yield self._opaque("dependentRequired", value)
            return
        for name, needed in value.items():
            yield self.space.make("dep", name, self.space.both(self._names_sent("dependentRequired", needed)))

    def _dependent_schemas(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        if not isinstance(value, dict):
            yield self._opaque("dependentSchemas", value)
            return
        for name, part in value.items():
            yield self.space.make("dep", name, self.build(part, scope))

    def _dependencies(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        """Since 2019-09 either a keyword or nothing."""
        if not isinstance(value, dict):
            yield self._opaque("dependencies", value)
            return
        said = self.space.both(self._depends(name, part, scope) for name, part in value.items())
        if said != self.space.true:
            yield self._doubted(said, _DEPENDENCIES)

    def _depends(self, name: str, part: Any, scope: Scope) -> int:
        named = isinstance(part, list)
        needed = self.space.both(self._names_sent("dependencies", part)) if named else self.build(part, scope)
        return self.space.make("dep", name, needed)

    @property
    def asserted(self) -> int:
        """That `dependencies` are a keyword."""
        return self._reading(_DEPENDENCIES)

    def _doubted(self, said: int, what: str) -> int:
        """What is said in one reading of two, the same one everywhere; in the other it is nothing."""
        self.doubts = True
        return self.space.either([said, self.space.negation(self._reading(what))])  # tried in this order

    def _reading(self, what: str) -> int:
        return self.space.make("opaque", f"validators differ about {what}")

    def _prefix(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        if not isinstance(value, list):
            yield self._opaque("prefixItems", value)
            return
        for index, part in enumerate(value):
            formula = self.below(part, scope)
            if formula != self.space.true:
                yield self.space.make("prefix", index, formula)

    def _items(self, value: Any, schema: Keywords, scope: Scope) -> Iterator[int]:
        formula = self.below(value, scope)
        if formula != self.space.true:
            prefix = schema.get("prefixItems")
            yield self.space.make("items", len(prefix) if isinstance(prefix, list) else 0, formula)

    def _contains(self, value: Any, schema: Keywords, scope: Scope) -> Iterator[int]:
        bounds = [schema.get("minContains", 1), schema.get("maxContains")]
        if not all(bound is None or _is_size(bound) for bound in bounds):
            yield self._opaque("contains", bounds)
            return
        least, most = (None if bound is None else exact(bound) for bound in bounds)
        yield self.space.make("contains", self.below(value, scope), least, most)

    def _unique(self, value: Any, _schema: Keywords, _scope: Scope) -> Iterator[int]:
        if not isinstance(value, bool):
            yield self._opaque("uniqueItems", value)
        elif value:
            yield self.space.make("unique")

    def _all_of(self, value: Any, _schema: Keywords, scope: Scope) -> Iterable[int]:
        return self._branches("allOf", value, scope)

    def _any_of(self, value: Any, _schema: Keywords, scope: Scope) -> Iterable[int]:
        return (self.space.either(self._branches("anyOf", value, scope) or [self._opaque("anyOf", value)]),)

    def _one_of(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        branches = self._branches("oneOf", value, scope) or [self._opaque("oneOf", value)]
        parts = sorted(part for part in branches if part != self.space.false)
        yield parts[0] if len(parts) == 1 else self.space.make("one", tuple(parts)) if parts else self.space.false

    def _branches(self, keyword: str, value: Any, scope: Scope) -> list[int]:
        if not isinstance(value, list):
            return [self._opaque(keyword, value)]
        return [self.build(part, scope) for part in value]

    def _not(self, value: Any, _schema: Keywords, scope: Scope) -> Iterable[int]:
        return (self.space.negation(self.build(value, scope)),)

    def _ref(self, value: Any, _schema: Keywords, scope: Scope) -> Iterator[int]:
        self._references += 1
        self.reads += WORK_OF_REFERENCE
        found = scope.document.resolve(value, scope) if isinstance(value, str) else None
        if found is None:
            yield self._opaque("$ref", value)
            return
        target, target_scope = found
        if id(target) not in self._open:
            yield self.build(target, target_scope)
            return
        if self._open[id(target)] == self._depth:
            # It says nothing of any part, and no validator can read it: it is not even equal to itself.
            yield self.space.make("opaque", f"cannot read $ref cycle {json.dumps(value)}", len(self.space.meaning))
            return
        reference = self.space.make("ref", self._fingerprints.of(target, target_scope))
        yield self.space.later(reference, lambda: self.build(target, target_scope))


Reader: TypeAlias = Callable[[Builder, Any, Keywords, Scope], Iterable[int]]


def _bound(keyword: str, kind: str, *extra: bool) -> Reader:
    """The reader of a numeric keyword."""

    def read(builder: Builder, value: Any, _schema: Keywords, _scope: Scope) -> Iterable[int]:
        sound = _is_size(value) if kind in SIZES else is_number(value) and (kind != "mult" or value > 0)
        if not sound:
            return (builder._opaque(keyword, value),)
        return () if kind in LEAST and value == 0 else (builder.space.make(kind, exact(value), *extra),)

    return read


def _is_size(value: Any) -> bool:
    return is_number(value) and value >= 0 and isinstance(exact(value), int)


def _pattern(builder: Builder, value: Any, _schema: Keywords, _scope: Scope) -> Iterable[int]:
    return (builder.space.make("pattern", value) if isinstance(value, str) else builder._opaque("pattern", value),)


LEAST = {"minlen", "minitems", "minprops"}
SIZES = LEAST | {"maxlen", "maxitems", "maxprops"}

READERS: dict[str, Reader] = {
    "type": Builder._type, "enum": Builder._enum, "const": Builder._const, "required": Builder._required,
    "properties": Builder._properties, "patternProperties": Builder._patterns,
    "propertyNames": Builder._names,
    "dependentRequired": Builder._dependent_required, "dependentSchemas": Builder._dependent_schemas,
    "dependencies": Builder._dependencies,
    "prefixItems": Builder._prefix, "items": Builder._items, "contains": Builder._contains,
    "uniqueItems": Builder._unique, "allOf": Builder._all_of, "anyOf": Builder._any_of, "oneOf": Builder._one_of,
    "not": Builder._not, "$ref": Builder._ref, "pattern": _pattern,
    "minimum": _bound("minimum", "min", False), "exclusiveMinimum": _bound("exclusiveMinimum", "min", True),
    "maximum": _bound("maximum", "max", False), "exclusiveMaximum": _bound("exclusiveMaximum", "max", True),
    "multipleOf": _bound("multipleOf", "mult"), "minLength": _bound("minLength", "minlen"),
    "maxLength": _bound("maxLength", "maxlen"), "minItems": _bound("minItems", "minitems"),
    "maxItems": _bound("maxItems", "maxitems"), "minProperties": _bound("minProperties", "minprops"),
    "maxProperties": _bound("maxProperties", "maxprops"),
}  # fmt: skip
