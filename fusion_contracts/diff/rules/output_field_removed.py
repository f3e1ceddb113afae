"""A field of the output is gone.

## Why it matters
Readers that rely on the field find nothing.

## What to do
Keep filling in the old field beside the new one for one release.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short
from fusion_contracts.schema.changes import PropertyRemoved, PropertyRenamed

EXAMPLE = Example(
    old={
        "type": "object",
        "properties": {"id": {"type": "string"}, "url": {"type": "string"}},
        "required": ["id", "url"],
    },
    new={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    witness={"id": ""},
    of="output",
)


@rule(PropertyRemoved, PropertyRenamed, level=Level.BREAKING, side="output", example=EXAMPLE)
def judge(change: PropertyRemoved | PropertyRenamed) -> Verdict:
    """Fire on every field that is no longer named."""
    if isinstance(change, PropertyRemoved):
        return Verdict("removed")
    return Verdict(f"is now {short(change.successor)}", successor=change.successor)
