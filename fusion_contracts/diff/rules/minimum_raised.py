"""The smallest accepted number grew.

## Why it matters
Smaller numbers were accepted before and are refused now.

## What to do
Keep accepting the values that were accepted, and settle them inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.2.4 and 6.2.5 (minimum, exclusiveMinimum)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"x": {"type": "integer"}}},
    new={"type": "object", "properties": {"x": {"type": "integer", "minimum": 1}}},
    witness={"x": 0},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when a lower bound appeared or grew."""
    return tightened(change, "minimum", "exclusiveMinimum")
