"""A field of the output is always there now.

## Why it matters
Readers that coped without it go on doing so.

## What to do
Nothing to do.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import RequiredChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": "string"}}},
    new={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    of="output",
)


@rule(RequiredChanged, level=Level.SAFE, side="output", example=EXAMPLE)
def judge(change: RequiredChanged) -> str | None:
    """Fire when a field that could be missing is always there."""
    return "is always there now" if change.required else None
