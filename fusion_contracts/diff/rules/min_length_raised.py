"""The shortest accepted text is longer.

## Why it matters
Shorter texts were accepted before and are refused now.

## What to do
Keep accepting the values that were accepted, and settle them inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.3.2 (minLength)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"x": {"type": "string"}}},
    new={"type": "object", "properties": {"x": {"type": "string", "minLength": 3}}},
    witness={"x": ""},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when `minLength` appeared or grew."""
    return tightened(change, "minLength")
