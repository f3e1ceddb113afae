"""More types are accepted.

## Why it matters
Old values stay valid.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 6.1.1 (type)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import names
from fusion_contracts.schema.changes import TypesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": "integer"}}},
    new={"type": "object", "properties": {"id": {"type": ["integer", "string"]}}},
)


@rule(TypesChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: TypesChanged) -> str | None:
    """Fire when types appeared, null alone apart, and none vanished."""
    if change.removed or change.added == ("null",):
        return None
    return f"takes {names(change.added)} too" if change.added else "takes the same types, written differently"
