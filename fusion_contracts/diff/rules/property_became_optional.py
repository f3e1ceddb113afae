"""A required argument may be left out now.

## Why it matters
Old calls send it and stay valid.

## What to do
Nothing to do. Say in the description what the tool does without it.

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
        "required": ["title", "body"],
    },
    new={
        "type": "object",
        "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
        "required": ["title"],
    },
)


@rule(RequiredChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: RequiredChanged) -> str | None:
    """Fire when a property may be left out that had to be sent."""
    return None if change.required else "is now optional"
