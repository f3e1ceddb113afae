"""The output may hold values that the old contract ruled out.

## Why it matters
Readers that rely on the old limits fail on such a value.

## What to do
Keep the old limits, and put what is new into a field of its own.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import (
    AdditionalPropertiesChanged,
    AllOfChanged,
    BoundChanged,
    BranchAdded,
    BranchRemoved,
    ConditionChanged,
    ContainsChanged,
    DependentRequiredChanged,
    DependentSchemaChanged,
    ItemsChanged,
    NotChanged,
    PatternChanged,
    PatternPropertyChanged,
    PrefixItemChanged,
    PropertyNamesChanged,
    SchemaChange,
    SchemaEmptied,
    SchemaReplaced,
    UnevaluatedChanged,
    UniqueItemsChanged,
)

EXAMPLE = Example(
    old={"type": "object", "properties": {"count": {"type": "integer", "maximum": 10}}, "required": ["count"]},
    new={"type": "object", "properties": {"count": {"type": "integer", "maximum": 100}}, "required": ["count"]},
    witness={"count": 11},
    of="output",
)


@rule(
    AdditionalPropertiesChanged,
    AllOfChanged,
    BoundChanged,
    BranchAdded,
    BranchRemoved,
    ConditionChanged,
    ContainsChanged,
    DependentRequiredChanged,
    DependentSchemaChanged,
    ItemsChanged,
    NotChanged,
    PatternChanged,
    PatternPropertyChanged,
    PrefixItemChanged,
    PropertyNamesChanged,
    SchemaEmptied,
    SchemaReplaced,
    UnevaluatedChanged,
    UniqueItemsChanged,
    level=Level.BREAKING,
    exact=True,
    only="breaks",
    side="output",
    example=EXAMPLE,
)
def judge(change: SchemaChange) -> str:
    """Fire on every other change through which old readers may fail."""
    return describe(change)
