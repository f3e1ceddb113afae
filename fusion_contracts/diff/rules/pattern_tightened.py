"""A text must match another pattern now.

## Why it matters
Texts that do not match were accepted before and are refused now. Where the new pattern is proved to take all that
the old one took the change is safe.

## What to do
Keep accepting other texts, and answer with the expected form.

## Reference
JSON Schema 2020-12 Validation, section 6.3.3 (pattern)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe, loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PatternChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"key": {"type": "string"}}},
    new={"type": "object", "properties": {"key": {"type": "string", "pattern": "^[A-Z]+$"}}},
    witness={"key": ""},
)


@rule(PatternChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PatternChanged) -> str | None:
    """Fire when a pattern appeared or changed."""
    return None if loosened(change) else describe(change)
