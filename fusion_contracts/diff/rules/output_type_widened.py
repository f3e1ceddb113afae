"""A field of the output may be of another type now.

## Why it matters
Readers that expect the old type fail on the new one.

## What to do
Put the new type into a new field.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.phrases import TYPES, either
from fusion_contracts.schema.changes import TypesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    new={"type": "object", "properties": {"id": {"type": ["integer", "string"]}}, "required": ["id"]},
    witness={"id": ""},
    of="output",
)


@rule(TypesChanged, level=Level.BREAKING, side="output", example=EXAMPLE)
def judge(change: TypesChanged) -> str | None:
    """Fire when types appeared."""
    known = {*change.added, "integer"}
    if change.after is None and change.added and all(name in known or name in str(change.before) for name in TYPES):
        return "may be of any type now"
    return f"may be {either(change.added)} now" if change.added else None
