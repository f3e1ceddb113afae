"""One more schema must hold.

## Why it matters
Calls that do not meet it were accepted before and are refused now.

## What to do
Check the new condition inside the tool, and answer with what is missing.

## Reference
JSON Schema 2020-12 Core, section 10.2.1.1 (allOf)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import AllOfChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"key": {"type": "string", "pattern": "^a"}}},
    new={"type": "object", "properties": {"key": {"type": "string", "pattern": "^a", "allOf": [{"pattern": "b$"}]}}},
    witness={"key": "a"},
)


@rule(AllOfChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: AllOfChanged) -> str | None:
    """Fire when a branch of `allOf` appeared or changed."""
    return None if loosened(change) else "must meet one more schema (allOf)"
