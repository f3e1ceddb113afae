"""What the walk finds between two JSON Schemas: typed facts, no judgement.

Every fact says where it is and what stood there before and after. Pointers are RFC 6901, relative to the schema.
A class that adds no field needs no decorator: it is the base's dataclass under another name, and imports for free.
Where several add the same fields, these have a base of their own.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from fusion_contracts.record import record

__all__ = [
    "AdditionalPropertiesChanged", "AllOfChanged", "AnnotationChanged", "BoundChanged", "BranchAdded", "BranchRemoved",
    "ConditionChanged", "ContainsChanged", "DefaultChanged", "DependentRequiredChanged", "DependentSchemaChanged",
    "DeprecatedChanged", "DescriptionChanged", "DialectChanged", "EnumChanged", "ExamplesChanged", "FormatChanged",
    "ItemsChanged", "KeywordChanged", "NotChanged", "PatternChanged", "PatternPropertyChanged", "Place",
    "PrefixItemChanged", "PropertyAdded", "PropertyNamesChanged", "PropertyRemoved", "PropertyRenamed",
    "ReferenceChanged", "RequiredChanged", "Rewritten", "SchemaChange", "SchemaEmptied", "SchemaReplaced",
    "TitleChanged", "TypesChanged", "UnevaluatedChanged", "UniqueItemsChanged",
]  # fmt: skip

JsonValue: TypeAlias = Any


class Place(NamedTuple):
    """Where a change is.

    `old` and `new` are pointers into the two documents (None on the side where nothing stands). `path` is the place in
    an instance, for people: `fields[].ref`, "" for the whole value. `uses` names every argument that reaches the place
    when it is shared (a definition used three times), else it holds `path` alone.
    """

    old: str | None
    new: str | None
    path: str
    uses: tuple[str, ...] = ()


@record(kw_only=True)
class SchemaChange:
    """One edit. `before` and `after` hold the JSON that differs (None where nothing stood)."""

    place: Place
    before: JsonValue = None
    after: JsonValue = None


@record(kw_only=True)
class PropertyChange(SchemaChange):
    """About one property: its name, and whether it must be sent."""

    name: str
    required: bool


class PropertyAdded(PropertyChange):
    """A property is named that was not; `after` is its schema."""

    __slots__ = ()


@record(kw_only=True)
class PropertyRemoved(PropertyChange):
    """A property is no longer named; `before` is its schema; `refused`: the new object rejects the name."""

    refused: bool


@record(kw_only=True)
class PropertyRenamed(SchemaChange):
    """A property vanished and another took its place; `carries`: the old value may be sent under the new name."""

    name: str
    successor: str
    carries: bool


class RequiredChanged(PropertyChange):
    """A property named on both sides became required, or optional."""

    __slots__ = ()


@record(kw_only=True)
class TypesChanged(SchemaChange):
    """The set of JSON types changed; `removed` and `added` hold type names, integer inside number is a narrowing."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


@record(kw_only=True)
class EnumChanged(SchemaChange):
    """The closed list of values (enum, or const as a list of one) changed; None stands for no list.

    `before` and `after` are the lists; `removed` and `added` are empty where one side has no list.
    """

    removed: tuple[JsonValue, ...]
    added: tuple[JsonValue, ...]


@record(kw_only=True)
class BoundChanged(SchemaChange):
    """A numeric keyword changed, appeared or vanished.

    `keyword` is one of minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength,
    minItems, maxItems, minContains, maxContains, minProperties, maxProperties. `tighter`: fewer values fit the bound
    now (False when more do, None when neither holds, as for some multipleOf).
    """

    keyword: str
    tighter: bool | None


class PatternChanged(SchemaChange):
    """`pattern` changed, appeared or vanished."""

    __slots__ = ()


class FormatChanged(SchemaChange):
    """`format` changed, appeared or vanished (an annotation: it decides nothing)."""

    __slots__ = ()


class UniqueItemsChanged(SchemaChange):
    """`uniqueItems` changed."""

    __slots__ = ()


@record(kw_only=True)
class AdditionalPropertiesChanged(SchemaChange):
    """`additionalProperties` changed: `before` and `after` are True (also when it was left out), False, or a schema.

    `explicit_before`: the old schema wrote it down.
    """

    explicit_before: bool


@record(kw_only=True)
class NamedKeywordChange(SchemaChange):
    """About one keyword of several that are told alike."""

    keyword: str


class UnevaluatedChanged(NamedKeywordChange):
    """`unevaluatedProperties` or `unevaluatedItems` changed."""

    __slots__ = ()


@record(kw_only=True)
class PatternPropertyChanged(SchemaChange):
    """A pattern of `patternProperties` appeared (`before` None) or vanished (`after` None)."""

    pattern: str


class PropertyNamesChanged(SchemaChange):
    """`propertyNames` appeared, vanished or was replaced."""

    __slots__ = ()


@record(kw_only=True)
class DependentRequiredChanged(SchemaChange):
    """What must be sent along with `name` changed; `before` and `after` are lists of names, or None."""

    name: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@record(kw_only=True)
class DependentSchemaChanged(SchemaChange):
    """The schema that holds when `name` is sent appeared or vanished."""

    name: str


class ItemsChanged(SchemaChange):
    """`items` appeared, vanished, or turned into or from a boolean."""

    __slots__ = ()


@record(kw_only=True)
class PrefixItemChanged(SchemaChange):
    """A position of `prefixItems` appeared or vanished."""

    index: int


class ContainsChanged(SchemaChange):
    """`contains` appeared, vanished or was replaced."""

    __slots__ = ()


@record(kw_only=True)
class BranchChange(SchemaChange):
    """About a branch of `anyOf` or `oneOf`; `discriminator` is the constant that tells it apart, if one does."""

    keyword: Literal["anyOf", "oneOf"]
    discriminator: tuple[str, JsonValue] | None = None


class BranchAdded(BranchChange):
    """A branch of `anyOf` or `oneOf` appeared."""

    __slots__ = ()


class BranchRemoved(BranchChange):
    """A branch of `anyOf` or `oneOf` vanished."""

    __slots__ = ()


class AllOfChanged(SchemaChange):
    """A branch of `allOf` appeared (`before` None), or vanished (`after` None)."""

    __slots__ = ()


class NotChanged(SchemaChange):
    """`not` appeared, vanished or changed."""

    __slots__ = ()


class ConditionChanged(SchemaChange):
    """`if`/`then`/`else` changed; `before` and `after` hold the three keywords that are there."""

    __slots__ = ()


class ReferenceChanged(SchemaChange):
    """A `$ref` that leads nowhere in the document appeared, vanished or changed; both sides hold the references."""

    __slots__ = ()


class SchemaReplaced(SchemaChange):
    """Two schemas too different to compare keyword by keyword (a boolean and an object, composition and none)."""

    __slots__ = ()


class SchemaEmptied(SchemaChange):
    """The whole schema lost all it said about its arguments: every call is still valid, and agents are blind."""

    __slots__ = ()


class DialectChanged(SchemaChange):
    """`$schema` names another dialect."""

    __slots__ = ()


class Rewritten(SchemaChange):
    """The text differs and no other fact covers it: `$ref` refactoring, another spelling of the same set of values."""

    __slots__ = ()


@record(kw_only=True)
class DefaultChanged(SchemaChange):
    """`default` changed; `had`/`has` tell a missing one from `null`.

    `optional`: it may be left out on both sides; `needed`: it might not be before.
    """

    had: bool
    has: bool
    optional: bool
    needed: bool


class DescriptionChanged(SchemaChange):
    """`description` reworded, added or dropped."""

    __slots__ = ()


class TitleChanged(SchemaChange):
    """`title` changed."""

    __slots__ = ()


class ExamplesChanged(SchemaChange):
    """`examples` changed."""

    __slots__ = ()


class DeprecatedChanged(SchemaChange):
    """`deprecated` changed."""

    __slots__ = ()


class AnnotationChanged(NamedKeywordChange):
    """Another annotation of the JSON Schema vocabularies changed: $comment, readOnly, writeOnly, content*."""

    __slots__ = ()


class KeywordChanged(NamedKeywordChange):
    """A keyword that no vocabulary knows changed (a vendor's `x-...`)."""

    __slots__ = ()


class Edit(NamedTuple):
    """A change and what it does to the calls (or outputs) of the old contract.

    `effect`: `breaks` (some value that worked is refused through this change: `witness` holds one), `safe` (proved, or
    an annotation), `undecided` (`reason` says why).
    """

    change: SchemaChange
    effect: Literal["breaks", "safe", "undecided"]
    has_witness: bool = False
    witness: JsonValue = None
    reason: str = ""
