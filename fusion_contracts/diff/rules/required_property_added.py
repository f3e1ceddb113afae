"""A new argument must be sent.

## Why it matters
A call that was complete before lacks the new argument and is refused. A default changes nothing: validators do not
apply it.

## What to do
Make the argument optional and fill it in inside the tool. Agents then learn it from the description in their own
time.

## Reference
JSON Schema 2020-12 Validation, section 6.5.3 (required)
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
        "properties": {"title": {"type": "string"}, "repo": {"type": "string"}},
        "required": ["title", "repo"],
    },
    witness={"title": "a"},
)


@rule(PropertyAdded, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PropertyAdded) -> str | None:
    """Fire when a property appeared that must be sent."""
    if not change.required or refuses_all(change.after):
        return None
    has_default = isinstance(change.after, dict) and "default" in change.after
    return "is new and required" + ("; its default changes nothing: validators do not apply it" if has_default else "")
