"""Names that match a pattern are no longer described.

## Why it matters
An open object takes them with any value; a closed one refuses them from now on.

## What to do
Keep the pattern while agents send such names.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.2 (patternProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PatternPropertyChanged

EXAMPLE = Example(
    old={
        "type": "object",
        "properties": {
            "labels": {
                "type": "object",
                "patternProperties": {"^x-": {"type": "string"}},
                "additionalProperties": False,
            }
        },
    },
    new={"type": "object", "properties": {"labels": {"type": "object", "additionalProperties": False}}},
    witness={"labels": {"x-": ""}},
)


@rule(PatternPropertyChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PatternPropertyChanged) -> str | None:
    """Fire when a pattern for names vanished."""
    return "is no longer described" if change.after is None else None
