"""A field of the output may be missing now.

## Why it matters
Readers that take the field for granted fail when it is left out.

## What to do
Keep filling it in, with null or an empty value if the old schema allows one.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import RequiredChanged

EXAMPLE = Example(
    old={
        "type": "object",
        "properties": {"id": {"type": "string"}, "url": {"type": "string"}},
        "required": ["id", "url"],
    },
    new={"type": "object", "properties": {"id": {"type": "string"}, "url": {"type": "string"}}, "required": ["id"]},
    witness={"id": ""},
    of="output",
)


@rule(RequiredChanged, level=Level.BREAKING, side="output", example=EXAMPLE)
def judge(change: RequiredChanged) -> str | None:
    """Fire when a field that was always there may be missing."""
    return None if change.required else "may be missing now"
