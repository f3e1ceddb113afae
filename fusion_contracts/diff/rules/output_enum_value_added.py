"""A field of the output may hold values that it never held.

## Why it matters
Readers that handle each listed value have no case for the new one.

## What to do
Send the new value in a new field, or only to those who ask for it.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"state": {"enum": ["open", "closed"]}}, "required": ["state"]},
    new={"type": "object", "properties": {"state": {"enum": ["open", "closed", "draft"]}}, "required": ["state"]},
    witness={"state": "draft"},
    of="output",
)


@rule(EnumChanged, level=Level.BREAKING, side="output", example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when the list of values grew or vanished."""
    if change.before is None or not (change.added or change.after is None):
        return None
    return (
        f"may be {listing(change.added)} now" if change.added else f"is no longer limited to {listing(change.before)}"
    )
