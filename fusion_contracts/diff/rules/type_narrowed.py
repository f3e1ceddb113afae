"""A value's type is no longer accepted.

## Why it matters
Calls that sent a value of that type are refused.

## What to do
Keep taking the old type and convert it inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.1.1 (type)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import names
from fusion_contracts.phrases import TYPES
from fusion_contracts.schema.changes import TypesChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": "string"}}},
    new={"type": "object", "properties": {"id": {"type": "integer"}}},
    witness={"id": ""},
)


@rule(TypesChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: TypesChanged) -> str | None:
    """Fire when a type other than null alone vanished."""
    if not change.removed or (change.removed == ("null",) and not change.added):
        return None
    if change.removed == ("number",) and "integer" in str(change.after):
        return "takes integers only now"
    if change.before is None and str(change.after) in TYPES:
        return f"takes only {TYPES[str(change.after)]} now"
    instead = f"; takes {names(change.added)} now" if change.added else ""
    return f"no longer takes {names(change.removed)}{instead}"
