"""The declared world: what an agent sends holds only the names that the contract shows it.

At each place in an instance the names are all that any schema there names, through allOf, anyOf, oneOf, if/then/else,
dependentSchemas and `$ref`, whether or not its branch holds: the reading is static, so that no branch hides a name from
another. A place is closed when it is the root, or when some schema there has `properties`, and when none gives
`additionalProperties` or `unevaluatedProperties` another value than false.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from fusion_contracts.schema.build import Builder
from fusion_contracts.schema.document import Document, Scope
from fusion_contracts.schema.evaluate import Evaluator
from fusion_contracts.schema.location import IN_PLACE, Location, in_place, listed, mapped
from fusion_contracts.schema.trouble import Undecided

__all__ = ["Closure"]

Parts: TypeAlias = list[tuple[Any, Scope]]
OTHER_NAMES = ("additionalProperties", "unevaluatedProperties")
# A schema with none of these says nothing of any name below it: most are the type of an argument and little else.
OF_ITEMS = frozenset({"prefixItems", "items", "unevaluatedItems", "contains"})
NAMING = OF_ITEMS | {*OTHER_NAMES, "properties", "patternProperties"}
REACHING = NAMING | IN_PLACE | {"$ref"}
LOOSE = (*OTHER_NAMES, "patternProperties")  # speak of properties without naming them
# The others lead to schemas that are in place themselves.
SPEAKING = NAMING | {"required", "dependentRequired", "dependencies"}


class Closure:
    """Builds the formula that holds of an instance when it uses declared names alone."""

    def __init__(self, builder: Builder) -> None:
        self._space = builder.space
        self._evaluator = Evaluator(builder.space)
        self._made: dict[frozenset[int], int] = {}
        self._open: set[frozenset[int]] = set()
        self._alive: list[Any] = []

    def document(self, root: Any) -> int:
        """The closure of a whole document, whose root names all arguments there are."""
        return self._close([(root, Document(root).scope)], root=True)

    def below(self, schema: Any, scope: Scope) -> int:
        """The closure of what a schema says of a part of the instance."""
        return self._close([(schema, scope)])

    def _close(self, starts: Parts, *, root: bool = False) -> int:
        if not root and not any(isinstance(schema, dict) and not REACHING.isdisjoint(schema) for schema, _ in starts):
            return self._space.true
        location = in_place(starts)
        # without those that only refer: a definition is one place, whichever reference leads there
        key = frozenset(id(schema) for schema, _ in location if not SPEAKING.isdisjoint(schema))
        if key in self._made:
            return self._made[key]
        if not key and not root:
            return self._space.true
        if key in self._open:
            reference = self._space.make("ref", ("closure", key))
            return self._space.later(reference, lambda: self._made[key])
        self._alive.append(location)
        self._open.add(key)
        try:
            formula = self._space.both([*self._objects(location, root=root), *self._arrays(location)])
        finally:
            self._open.discard(key)
        self._made[key] = formula
        return formula

    def _objects(self, location: Location, *, root: bool) -> list[int]:
        names = {name for schema, _ in location for name in mapped(schema, "properties")}
        patterns = {pattern for schema, _ in location for pattern in mapped(schema, "patternProperties")}
        beyond = [
            (schema[keyword], scope)
            for schema, scope in location
            for keyword in OTHER_NAMES
            if schema.get(keyword, False) is not False
        ]
        closed = not beyond and (root or any("properties" in schema for schema, _ in location))
        if closed:
            names |= {name for schema, _ in location for name in _needed(schema) if isinstance(name, str)}
        named = _by_name(location)
        loose = [(schema, scope) for schema, scope in location if any(mapped(schema, keyword) for keyword in LOOSE)]
        facts = []
        for name in sorted(names):
            parts = named.get(name, [])
            facts.append(self._about("prop", name, [*parts, *self._unnamed(name, loose)] if loose else parts))
        facts += [self._about("pat", pattern, _under(pattern, location)) for pattern in sorted(patterns)]
        rest = self._space.false if closed else self._close(beyond)
        if rest != self._space.true:
            facts.append(self._space.make("addl", frozenset(names), frozenset(patterns), rest))
        return facts

    def _about(self, kind: str, key: str | int, parts: Parts) -> int:
        """The closure of a part of the instance, as a fact about the whole."""
        formula = self._close(parts)
        return formula if formula == self._space.true else self._space.make(kind, key, formula)

    def _unnamed(self, name: str, loose: Parts) -> Parts:
        """What schemas say of a property in other places than `properties`."""
        found: Parts = []
        for schema, scope in loose:
            patterns = mapped(schema, "patternProperties")
            own = [part for pattern, part in patterns.items() if self._matches(pattern, name)]
            if not own and name not in mapped(schema, "properties"):
                own = [schema[keyword] for keyword in OTHER_NAMES if keyword in schema]
            found += [(part, scope) for part in own]
        return found

    def _matches(self, pattern: str, name: str) -> bool:
        try:
            return self._evaluator.matches(pattern, name)
        except Undecided:
            return False

    def _arrays(self, location: Location) -> list[int]:
        if all(OF_ITEMS.isdisjoint(schema) for schema, _ in location):
            return []
        length = max((len(listed(schema, "prefixItems")) for schema, _ in location), default=0)
        facts = [self._about("prefix", index, _at(index, location)) for index in range(length)]
        return [*facts, self._about("items", length, _at(length, location))]


def _by_name(location: Location) -> dict[str, Parts]:
    """The schemas about each property that is named."""
    found: dict[str, Parts] = {}
    for schema, scope in location:
        for name, part in mapped(schema, "properties").items():
            found.setdefault(name, []).append((part, scope))
    return found


def _needed(schema: dict[str, Any]) -> Iterator[Any]:
    """What `required` and `dependentRequired` name: left out of the closure, it would leave no value at all."""
    yield from listed(schema, "required")
    for keyword in ("dependentRequired", "dependencies"):
        for name in mapped(schema, keyword):
            yield from listed(schema[keyword], name)


def _under(pattern: str, location: Location) -> Parts:
    """The schemas about properties that match a pattern, as far as the pattern itself is written."""
    maps = ((mapped(schema, "patternProperties"), scope) for schema, scope in location)
    return [(parts[pattern], scope) for parts, scope in maps if pattern in parts]


def _at(index: int, location: Location) -> Parts:
    """The schemas about the item of this index."""
    found: Parts = []
    for schema, scope in location:
        prefix = listed(schema, "prefixItems")
        own = (
            [prefix[index]]
            if index < len(prefix)
            else [schema[k] for k in ("items", "unevaluatedItems") if k in schema]
        )
        own += [schema["contains"]] if "contains" in schema else []
        found += [(part, scope) for part in own]
    return found
