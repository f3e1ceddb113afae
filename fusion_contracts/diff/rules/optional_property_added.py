"""A new argument may be sent.

## Why it matters
Old calls do not send it and stay valid.

## What to do
Nothing to do. Say in the description what the tool does without it.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.1 (properties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PropertyAdded

EXAMPLE = Example(
    old={"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    new={
        "type": "object",
        "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
        "required": ["title"],
    },
)


@rule(PropertyAdded, level=Level.SAFE, only="safe", example=EXAMPLE)
def judge(change: PropertyAdded) -> str | None:
    """Fire when a property appeared that may be left out."""
    return None if change.required or refuses_all(change.after) else "added"
