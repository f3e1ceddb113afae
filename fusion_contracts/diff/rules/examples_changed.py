"""The examples changed.

## Why it matters
Models may copy them. No call depends on one.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 9.5 (examples)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import ExamplesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"type": "string", "examples": ["C"]}}},
    new={"type": "object", "properties": {"unit": {"type": "string", "examples": ["C", "F"]}}},
)


@rule(ExamplesChanged, level=Level.SAFE, fixed=True, side="any", example=EXAMPLE)
def judge(_change: ExamplesChanged) -> str:
    """Fire on every change of `examples`."""
    return "examples changed"
