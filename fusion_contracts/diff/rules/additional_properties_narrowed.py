"""The values of unknown names are restricted now.

## Why it matters
Calls that sent names of their own with other values are refused.

## What to do
Keep taking any value, and check inside the tool those that it uses.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.3 and 11.3 (additionalProperties, unevaluatedProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened, refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import AdditionalPropertiesChanged, UnevaluatedChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"env": {"type": "object", "additionalProperties": True}}},
    new={"type": "object", "properties": {"env": {"type": "object", "additionalProperties": {"type": "string"}}}},
    witness={"env": {"a": 1}},
)


@rule(AdditionalPropertiesChanged, UnevaluatedChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: AdditionalPropertiesChanged | UnevaluatedChanged) -> str | None:
    """Fire when further names are still taken, under a schema."""
    items = isinstance(change, UnevaluatedChanged) and change.keyword == "unevaluatedItems"
    if items or loosened(change) or refuses_all(change.after) or refuses_all(change.before):
        return None
    return "restricts the values of unknown names now"
