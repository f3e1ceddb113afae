"""The output keeps within the old limits, or within tighter ones.

## Why it matters
Readers of the old contract understand all that the new one allows.

## What to do
Nothing to do.

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
    old={"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
    new={"type": "object", "properties": {"count": {"type": "integer", "maximum": 100}}, "required": ["count"]},
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
    level=Level.SAFE,
    exact=True,
    only="safe",
    side="output",
    example=EXAMPLE,
)
def judge(change: SchemaChange) -> str:
    """Fire on every other change that old readers cannot notice."""
    return describe(change)
