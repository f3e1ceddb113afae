"""More values are excluded.

## Why it matters
Values that `not` excludes now were accepted before.

## What to do
Keep accepting the values, and settle them inside the tool.

## Reference
JSON Schema 2020-12 Core, section 10.2.1.4 (not)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import NotChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"key": {"type": "string"}}},
    new={"type": "object", "properties": {"key": {"type": "string", "not": {"const": ""}}}},
    witness={"key": ""},
)


@rule(NotChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: NotChanged) -> str | None:
    """Fire when `not` appeared or changed."""
    return None if loosened(change) else "excludes other values now (not)"
