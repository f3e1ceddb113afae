"""A constraint was dropped or weakened.

## Why it matters
Old values stay valid. Only inside `oneOf`, `not` or a condition can a weaker part refuse what it took before; then
the change breaks and says so.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 6 (the constraints)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe, loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import (
    AllOfChanged,
    BoundChanged,
    ConditionChanged,
    ContainsChanged,
    DependentRequiredChanged,
    DependentSchemaChanged,
    FormatChanged,
    ItemsChanged,
    NotChanged,
    PatternChanged,
    PrefixItemChanged,
    PropertyNamesChanged,
    SchemaChange,
    UnevaluatedChanged,
    UniqueItemsChanged,
)

EXAMPLE = Example(
    old={"type": "object", "properties": {"page": {"type": "integer", "minimum": 5}}},
    new={"type": "object", "properties": {"page": {"type": "integer", "minimum": 1}}},
)


@rule(
    AllOfChanged,
    BoundChanged,
    ConditionChanged,
    ContainsChanged,
    DependentRequiredChanged,
    DependentSchemaChanged,
    FormatChanged,
    ItemsChanged,
    NotChanged,
    PatternChanged,
    PrefixItemChanged,
    PropertyNamesChanged,
    UnevaluatedChanged,
    UniqueItemsChanged,
    level=Level.SAFE,
    exact=True,
    example=EXAMPLE,
)
def judge(change: SchemaChange) -> str | None:
    """Fire when the edit, taken alone, accepts more."""
    other_rule = isinstance(change, UnevaluatedChanged) and change.keyword == "unevaluatedProperties"
    return describe(change) if loosened(change) and not other_rule else None
