"""What unevaluatedProperties and unevaluatedItems leave out: what the schemas in place evaluate, and when.

A contribution is (conditions, ..., everything): signed formulas under which a schema in place counts, what it
evaluates then, and whether that is all. For objects it names properties and patterns, for arrays the length of the
prefix and the formula of `contains` (or None).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from fusion_contracts.schema.document import Scope, enter
from fusion_contracts.schema.formula import OBJECT
from fusion_contracts.schema.location import DEPENDENT, listed, mapped

if TYPE_CHECKING:
    from fusion_contracts.schema.build import Builder

__all__ = ["unevaluated"]

Conditions: TypeAlias = tuple[int, ...]
Contribution: TypeAlias = tuple[Any, ...]


def unevaluated(builder: Builder, schema: dict[str, Any], scope: Scope, keyword: str, *, marked: bool = True) -> int:
    """The formula of unevaluatedProperties or unevaluatedItems of a schema; `marked`: by `contains` as well."""
    formula = builder.below(schema[keyword], scope)
    if formula == builder.space.true:
        return formula
    kind, reader = READERS[keyword] if marked else ("uit", _items_in_order)
    found = list(_seen(builder, reader, schema, scope, ()))
    conditions = sorted({abs(condition) for contribution in found for condition in contribution[0]})
    return builder.space.make(kind, tuple(conditions), tuple(found), formula)


def _seen(
    builder: Builder, reader: Reader, schema: Any, scope: Scope, conditions: Conditions, *above: int
) -> Iterator[Contribution]:
    """What a schema and those in place inside it evaluate; `above`: the schemas on the way here."""
    if not isinstance(schema, dict) or id(schema) in above:
        return
    scope = enter(schema, scope)
    evaluated = reader(builder, schema, scope, not above)
    if any(evaluated):
        yield conditions, *evaluated
    for part, part_scope, more in _in_place(builder, schema, scope):
        yield from _seen(builder, reader, part, part_scope, (*conditions, *more), *above, id(schema))


def _names(_: Builder, schema: dict[str, Any], _scope: Scope, outermost: bool) -> Contribution:  # noqa: FBT001 - a row of READERS
    everything = "additionalProperties" in schema or ("unevaluatedProperties" in schema and not outermost)
    names, patterns = (frozenset(mapped(schema, keyword)) for keyword in ("properties", "patternProperties"))
    return names, patterns, everything


def _items(builder: Builder, schema: dict[str, Any], scope: Scope, outermost: bool) -> Contribution:  # noqa: FBT001 - a row of READERS
    everything = "items" in schema or ("unevaluatedItems" in schema and not outermost)
    contained = builder.below(schema["contains"], scope) if "contains" in schema else None
    return len(listed(schema, "prefixItems")), contained, everything


def _items_in_order(builder: Builder, schema: dict[str, Any], scope: Scope, outermost: bool) -> Contribution:  # noqa: FBT001 - as a row of READERS
    length, _, everything = _items(builder, schema, scope, outermost)
    return length, None, everything


def _in_place(builder: Builder, schema: dict[str, Any], scope: Scope) -> Iterator[tuple[Any, Scope, Conditions]]:
    """The schemas about the same value inside one, each with the conditions under which it counts."""
    if isinstance(schema.get("$ref"), str):
        found = scope.document.resolve(schema["$ref"], scope)
        if found is not None:
            yield *found, ()
    for part in listed(schema, "allOf"):
        yield part, scope, ()
    for keyword in ("anyOf", "oneOf"):
        for part in listed(schema, keyword):
            yield part, scope, (builder.build(part, scope),)
    for keyword in DEPENDENT:
        yield from ((part, scope, (_held(builder, keyword, name),)) for name, part in mapped(schema, keyword).items())
    if "if" in schema:
        condition = builder.build(schema["if"], scope)
        yield schema["if"], scope, (condition,)
        for keyword, sign in (("then", 1), ("else", -1)):
            if keyword in schema:
                yield schema[keyword], scope, (sign * condition,)


def _held(builder: Builder, keyword: str, name: str) -> int:
    """When a dependent schema counts: an object holds the name, and the keyword is one."""
    needed = {builder.space.make("type", OBJECT), builder.space.make("req", name)}
    if keyword == "dependencies":
        needed.add(builder.asserted)
    return builder.space.make("and", frozenset(needed))


Reader: TypeAlias = Callable[["Builder", dict[str, Any], Scope, bool], Contribution]
READERS: dict[str, tuple[str, Reader]] = {
    "unevaluatedProperties": ("upr", _names), "unevaluatedItems": ("uit", _items),
}  # fmt: skip
