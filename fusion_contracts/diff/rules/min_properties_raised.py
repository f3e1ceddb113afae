"""An object needs more properties than before.

## Why it matters
Calls that sent fewer are refused.

## What to do
Keep taking smaller objects.

## Reference
JSON Schema 2020-12 Validation, section 6.5.2 (minProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"labels": {"type": "object"}}},
    new={"type": "object", "properties": {"labels": {"type": "object", "minProperties": 1}}},
    witness={"labels": {}},
)


@rule(BoundChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BoundChanged) -> str | None:
    """Fire when `minProperties` appeared or grew."""
    return tightened(change, "minProperties")
