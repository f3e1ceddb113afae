"""A number must be a multiple of something else now.

## Why it matters
Numbers in between were accepted before and are refused now.

## What to do
Keep accepting the values that were accepted, and settle them inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.2.1 (multipleOf)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"x": {"type": "integer"}}},
    new={"type": "object", "properties": {"x": {"type": "integer", "multipleOf": 5}}},
    witness={"x": 1},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when `multipleOf` appeared or changed."""
    return tightened(change, "multipleOf")
