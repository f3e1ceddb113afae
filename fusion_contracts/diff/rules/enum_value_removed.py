"""An enum lost values.

## Why it matters
A call that sends a removed value was accepted before and is refused now.

## What to do
Keep accepting the value and map it inside the tool, or release a new tool beside the old one.

## Reference
JSON Schema 2020-12 Validation, section 6.1.2 (enum)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"enum": ["C", "F", "K"]}}},
    new={"type": "object", "properties": {"unit": {"enum": ["C", "F"]}}},
    witness={"unit": "K"},
)


@rule(EnumChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when an accepted value disappeared, unless the one constant was replaced by another."""
    if not change.removed or (len(change.before) == len(change.after) == 1):
        return None
    more = f"; accepts {listing(change.added)} too" if change.added else ""
    return f"no longer accepts {listing(change.removed)}{more}"
