"""The names that an object may use are restricted now.

## Why it matters
Calls with other names are refused.

## What to do
Keep taking any name.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.4 (propertyNames)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PropertyNamesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"labels": {"type": "object"}}},
    new={"type": "object", "properties": {"labels": {"type": "object", "propertyNames": {"maxLength": 8}}}},
    witness={"labels": {"aaaaaaaaa": 1}},
)


@rule(PropertyNamesChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PropertyNamesChanged) -> str | None:
    """Fire when `propertyNames` appeared or changed."""
    return None if loosened(change) else "restricts the names of its properties now"
