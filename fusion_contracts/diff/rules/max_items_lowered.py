"""A list may hold fewer items.

## Why it matters
Longer lists were accepted before and are refused now.

## What to do
Keep accepting the values that were accepted, and settle them inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.4.1 (maxItems)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"x": {"type": "array"}}},
    new={"type": "object", "properties": {"x": {"type": "array", "maxItems": 1}}},
    witness={"x": [1, 1]},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when `maxItems` appeared or shrank."""
    return tightened(change, "maxItems")
