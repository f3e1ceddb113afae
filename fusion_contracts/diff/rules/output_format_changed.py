"""A field of the output has another format now, or none.

## Why it matters
A format is an annotation: validators let any text pass, readers that parse it may not.

## What to do
Keep the old format.

## Reference
JSON Schema 2020-12 Validation, section 7 (format)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import FormatChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"when": {"type": "string", "format": "date-time"}}},
    new={"type": "object", "properties": {"when": {"type": "string", "format": "date"}}},
    of="output",
)


@rule(FormatChanged, level=Level.RISKY, fixed=True, side="output", example=EXAMPLE)
def judge(change: FormatChanged) -> str | None:
    """Fire when a promised format was replaced or dropped."""
    return None if change.before is None else describe(change)
