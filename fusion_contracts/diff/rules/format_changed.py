"""A text is meant to have another format now.

## Why it matters
A format is an annotation: validators let any text pass, many servers do not.

## What to do
Keep accepting the old format.

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
)


@rule(FormatChanged, level=Level.RISKY, fixed=True, example=EXAMPLE)
def judge(change: FormatChanged) -> str | None:
    """Fire when a format was replaced by another."""
    return None if change.before is None or change.after is None else describe(change)
