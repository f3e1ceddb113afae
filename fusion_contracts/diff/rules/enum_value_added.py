"""An enum gained values.

## Why it matters
Old values stay valid.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 6.1.2 (enum)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"enum": ["C", "F"]}}},
    new={"type": "object", "properties": {"unit": {"enum": ["C", "F", "K"]}}},
)


@rule(EnumChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when the list of values only grew, or only its order changed."""
    if change.removed or change.before is None or change.after is None:
        return None
    return f"accepts {listing(change.added)} too" if change.added else "lists the same values, written differently"
