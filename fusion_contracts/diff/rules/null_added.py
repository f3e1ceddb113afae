"""Null is accepted too.

## Why it matters
Old values stay valid.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 6.1.1 (type)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import TypesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": "string"}}},
    new={"type": "object", "properties": {"id": {"type": ["string", "null"]}}},
)


@rule(TypesChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: TypesChanged) -> str | None:
    """Fire when null is the only type that appeared, and none vanished."""
    return "takes null too" if change.added == ("null",) and not change.removed else None
