"""A value is no longer limited to a list.

## Why it matters
The old values stay valid. Models no longer see which ones make sense.

## What to do
Name the usual values in the description.

## Reference
JSON Schema 2020-12 Validation, section 6.1.2 (enum)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"type": "string", "enum": ["C", "F"]}}},
    new={"type": "object", "properties": {"unit": {"type": "string"}}},
)


@rule(EnumChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when the list of values vanished."""
    if change.after is not None or change.before is None:
        return None
    return f"is no longer limited to {listing(change.before)}"
