"""A new field of the output holds what the old contract ruled out under its name.

## Why it matters
The old output took further fields of one kind only. Readers that go through them fail on a value of another kind.

## What to do
Give the new field a place outside that object, or a value of the old kind.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.schemas import FieldContradicted

EXAMPLE = Example(
    old={"type": "object", "additionalProperties": {"type": "number"}},
    new={
        "type": "object",
        "properties": {"unit": {"type": "string"}},
        "additionalProperties": {"type": "number"},
    },
    witness={"unit": "x"},
    of="output",
)


@rule(FieldContradicted, level=Level.BREAKING, side="output", example=EXAMPLE)
def judge(_change: FieldContradicted) -> str:
    """Fire on every field that appeared against the old schema of its object."""
    return "added; the old contract ruled such a value out"
