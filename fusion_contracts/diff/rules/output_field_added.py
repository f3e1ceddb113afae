"""The output has a new field.

## Why it matters
Readers pass over fields that they do not know, unless the old output was closed: then one that validates refuses
it.

## What to do
Leave output schemas open.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PropertyAdded

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    new={"type": "object", "properties": {"id": {"type": "string"}, "url": {"type": "string"}}, "required": ["id"]},
    of="output",
)


@rule(PropertyAdded, level=Level.SAFE, at_most=Level.RISKY, side="output", example=EXAMPLE)
def judge(_change: PropertyAdded) -> str:
    """Fire on every field that appeared."""
    return "added"
