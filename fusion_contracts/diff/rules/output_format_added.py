"""A field of the output promises a format now.

## Why it matters
Readers that took any text take this one.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 7 (format)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import FormatChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"when": {"type": "string"}}},
    new={"type": "object", "properties": {"when": {"type": "string", "format": "date-time"}}},
    of="output",
)


@rule(FormatChanged, level=Level.SAFE, fixed=True, side="output", example=EXAMPLE)
def judge(change: FormatChanged) -> str | None:
    """Fire when a format appeared."""
    return describe(change) if change.before is None else None
