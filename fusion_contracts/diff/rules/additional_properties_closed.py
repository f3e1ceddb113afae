"""Unknown names are refused now.

## Why it matters
Models do send names that no schema lists. Where the old contract allowed them in so many words the call breaks;
where it said nothing they were ignored and are refused now.

## What to do
Leave the object open, or release the closed form together with the next change that agents have to learn anyway.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.3 and 11.3 (additionalProperties, unevaluatedProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import AdditionalPropertiesChanged, UnevaluatedChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"url": {"type": "string"}}},
    new={"type": "object", "properties": {"url": {"type": "string"}}, "additionalProperties": False},
)


@rule(AdditionalPropertiesChanged, UnevaluatedChanged, level=Level.RISKY, keeps=True, example=EXAMPLE)
def judge(change: AdditionalPropertiesChanged | UnevaluatedChanged) -> str | None:
    """Fire when an object that took further names takes none."""
    items = isinstance(change, UnevaluatedChanged) and change.keyword == "unevaluatedItems"
    return None if items or not refuses_all(change.after) else "refuses unknown names now"
