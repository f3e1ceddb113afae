"""A condition between arguments appeared or changed.

## Why it matters
Calls that do not meet it are refused, where it asks for more than before.

## What to do
Check the condition inside the tool, and answer with what is missing.

## Reference
JSON Schema 2020-12 Core, section 10.2.2 (if, then, else)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe, loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import ConditionChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
    new={
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    },
    witness={"a": ""},
)


@rule(ConditionChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ConditionChanged) -> str | None:
    """Fire when `if`, `then` or `else` appeared or changed."""
    return None if loosened(change) else describe(change)
