"""The largest accepted number shrank.

## Why it matters
Larger numbers were accepted before and are refused now.

## What to do
Keep accepting the values that were accepted, and settle them inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.2.2 and 6.2.3 (maximum, exclusiveMaximum)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"x": {"type": "integer", "maximum": 100}}},
    new={"type": "object", "properties": {"x": {"type": "integer", "maximum": 10}}},
    witness={"x": 11},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when an upper bound appeared or shrank."""
    return tightened(change, "maximum", "exclusiveMaximum")
