"""A free value is limited to a list now.

## Why it matters
Calls that sent any other value are refused.

## What to do
Keep taking other values and map them inside the tool. A list in the description guides models as well.

## Reference
JSON Schema 2020-12 Validation, section 6.1.2 (enum)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import listing
from fusion_contracts.schema.changes import EnumChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"type": "string"}}},
    new={"type": "object", "properties": {"unit": {"type": "string", "enum": ["C", "F"]}}},
    witness={"unit": ""},
)


@rule(EnumChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: EnumChanged) -> str | None:
    """Fire when a list of values appeared where there was none."""
    if change.before is not None or change.after is None:
        return None
    return f"takes only {listing(change.after)} now"
