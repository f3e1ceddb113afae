"""A field of the output has fewer types.

## Why it matters
Readers that handle the old types handle the rest of them.

## What to do
Nothing to do.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.phrases import TYPES, either
from fusion_contracts.schema.changes import TypesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": ["integer", "string"]}}, "required": ["id"]},
    new={"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    of="output",
)


@rule(TypesChanged, level=Level.SAFE, side="output", example=EXAMPLE)
def judge(change: TypesChanged) -> str | None:
    """Fire when types vanished and none appeared."""
    if change.added:
        return None
    if change.before is None and str(change.after) in TYPES:
        return f"is always {TYPES[str(change.after)]} now"
    return f"is no longer {either(change.removed)}" if change.removed else "has the same types, written differently"
