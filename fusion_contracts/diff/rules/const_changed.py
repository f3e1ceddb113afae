"""The one accepted value is another one now.

## Why it matters
Every call that sent the old value is refused.

## What to do
Accept both values for one release.

## Reference
JSON Schema 2020-12 Validation, section 6.1.3 (const)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"version": {"const": "v1"}}},
    new={"type": "object", "properties": {"version": {"const": "v2"}}},
    witness={"version": "v1"},
)


@rule(EnumChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when a single value was replaced by another."""
    if not change.removed or not (len(change.before) == len(change.after) == 1):
        return None
    return f"must be {listing(change.after)} now, was {listing(change.before)}"
