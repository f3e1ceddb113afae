"""A list may hold no value twice now.

## Why it matters
Lists with a repeated value were accepted before and are refused now.

## What to do
Drop repeated values inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.4.3 (uniqueItems)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import UniqueItemsChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"tags": {"type": "array"}}},
    new={"type": "object", "properties": {"tags": {"type": "array", "uniqueItems": True}}},
    witness={"tags": [1, 1]},
)


@rule(UniqueItemsChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: UniqueItemsChanged) -> str | None:
    """Fire when `uniqueItems` became true."""
    return None if loosened(change) else "may hold no value twice now"
