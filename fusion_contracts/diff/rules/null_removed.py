"""Null is no longer accepted.

## Why it matters
Models send null for an argument that they leave out; such calls are refused now.

## What to do
Keep taking null as if the argument were missing.

## Reference
JSON Schema 2020-12 Validation, section 6.1.1 (type)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import TypesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": ["string", "null"]}}},
    new={"type": "object", "properties": {"id": {"type": "string"}}},
    witness={"id": None},
)


@rule(TypesChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: TypesChanged) -> str | None:
    """Fire when null is the only type that vanished, and none appeared."""
    return "no longer takes null" if change.removed == ("null",) and not change.added else None
