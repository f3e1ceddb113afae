"""An optional argument must be sent now.

## Why it matters
Calls that left it out worked before and are refused now.

## What to do
Keep it optional and choose a value inside the tool when it is missing.

## Reference
JSON Schema 2020-12 Validation, section 6.5.3 (required)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import RequiredChanged

EXAMPLE = Example(
    old={
        "type": "object",
        "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
        "required": ["title"],
    },
    new={
        "type": "object",
        "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
        "required": ["title", "body"],
    },
    witness={"title": ""},
)


@rule(RequiredChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: RequiredChanged) -> str | None:
    """Fire when a property must be sent that could be left out."""
    return "is now required" if change.required else None
