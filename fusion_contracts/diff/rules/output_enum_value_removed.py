"""A field of the output holds fewer values.

## Why it matters
Readers that handle the old values handle the rest of them.

## What to do
Nothing to do.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"state": {"enum": ["open", "closed", "draft"]}}, "required": ["state"]},
    new={"type": "object", "properties": {"state": {"enum": ["open", "closed"]}}, "required": ["state"]},
    of="output",
)


@rule(EnumChanged, level=Level.SAFE, side="output", example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when the list of values appeared, shrank or was only reordered."""
    if change.before is None:
        return f"is always one of {listing(change.after or [])}"
    if change.added or change.after is None:
        return None
    return (
        f"is never {listing(change.removed)} any more"
        if change.removed
        else "lists the same values, written differently"
    )
