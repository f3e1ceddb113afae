"""An argument needs another one beside it now.

## Why it matters
Calls that sent the first without the second are refused.

## What to do
Choose the missing value inside the tool.

## Reference
JSON Schema 2020-12 Validation, section 6.5.4 (dependentRequired)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import names
from fusion_contracts.schema.changes import DependentRequiredChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "string"}}},
    new={
        "type": "object",
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
        "dependentRequired": {"from": ["to"]},
    },
    witness={"from": ""},
)


@rule(DependentRequiredChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: DependentRequiredChanged) -> str | None:
    """Fire when a name must be sent along with another."""
    return f"needs {names(change.added)} beside it now" if change.added else None
