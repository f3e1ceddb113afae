"""An object may hold fewer properties than before.

## Why it matters
Calls that sent more are refused.

## What to do
Keep taking larger objects.

## Reference
JSON Schema 2020-12 Validation, section 6.5.1 (maxProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"labels": {"type": "object"}}},
    new={"type": "object", "properties": {"labels": {"type": "object", "maxProperties": 1}}},
    witness={"labels": {"a": 1, "b": 1}},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when `maxProperties` appeared or shrank."""
    return tightened(change, "maxProperties")
