"""Sending an argument brings further conditions now.

## Why it matters
Calls that sent it without meeting them are refused.

## What to do
Check the conditions inside the tool, and answer with what is missing.

## Reference
JSON Schema 2020-12 Core, section 10.2.2.4 (dependentSchemas)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import DependentSchemaChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "string"}}},
    new={
        "type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
        "dependentSchemas": {"from": {"required": ["to"]}},
    },
    witness={"from": ""},
)


@rule(DependentSchemaChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: DependentSchemaChanged) -> str | None:
    """Fire when a schema appeared that holds once a name is sent."""
    return None if loosened(change) else "brings further conditions now"
