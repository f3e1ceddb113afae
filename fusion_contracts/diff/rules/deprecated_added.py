"""An argument or field is marked as deprecated.

## Why it matters
It still works and may be gone in a later release.

## What to do
Say in the description what to use instead.

## Reference
JSON Schema 2020-12 Validation, section 9.3 (deprecated)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import DeprecatedChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"type": "string"}}},
    new={"type": "object", "properties": {"unit": {"type": "string", "deprecated": True}}},
)


@rule(DeprecatedChanged, level=Level.SAFE, fixed=True, side="any", example=EXAMPLE)
def judge(change: DeprecatedChanged) -> str | None:
    """Fire when `deprecated` became true."""
    return "is deprecated now" if change.after is True else None
