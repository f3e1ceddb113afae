"""Names that match a pattern are restricted now.

## Why it matters
A call that sent such a name with another value is refused.

## What to do
Keep taking any value under these names, and check inside the tool those that it uses.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.2 (patternProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PatternPropertyChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"labels": {"type": "object"}}},
    new={
        "type": "object",
        "properties": {"labels": {"type": "object", "patternProperties": {"^x-": {"type": "string"}}}},
    },
    witness={"labels": {"x-": 0}},
)


@rule(PatternPropertyChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PatternPropertyChanged) -> str | None:
    """Fire when a pattern for names appeared or changed."""
    return None if change.after is None else "is restricted now"
