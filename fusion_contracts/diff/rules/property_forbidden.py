"""An argument may no longer be sent.

## Why it matters
Its schema accepts nothing, so that every call that sends it is refused.

## What to do
Keep accepting the argument and ignore it, or say in its place what to send instead.

## Reference
JSON Schema 2020-12 Core, section 4.3.2 (boolean schemas)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import is_property, refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PropertyAdded, SchemaReplaced

EXAMPLE = Example(
    old={"type": "object", "properties": {"url": {"type": "string"}, "wait": {"type": "string"}}},
    new={"type": "object", "properties": {"url": {"type": "string"}, "wait": False}},
    witness={"wait": ""},
)


@rule(PropertyAdded, SchemaReplaced, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PropertyAdded | SchemaReplaced) -> str | None:
    """Fire when a property's schema accepts nothing any more."""
    fires = refuses_all(change.after) and (isinstance(change, PropertyAdded) or is_property(change.place))
    return "may no longer be sent" if fires else None
