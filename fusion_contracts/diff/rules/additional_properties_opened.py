"""Unknown names are accepted now.

## Why it matters
No old call sent any, and old calls stay valid.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.3 and 11.3 (additionalProperties, unevaluatedProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened, refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import AdditionalPropertiesChanged, UnevaluatedChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"url": {"type": "string"}}, "additionalProperties": False},
    new={"type": "object", "properties": {"url": {"type": "string"}}},
)


@rule(AdditionalPropertiesChanged, UnevaluatedChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: AdditionalPropertiesChanged | UnevaluatedChanged) -> str | None:
    """Fire when further names are taken that were refused or restricted."""
    items = isinstance(change, UnevaluatedChanged) and change.keyword == "unevaluatedItems"
    if items or refuses_all(change.after):
        return None
    opened = loosened(change) or refuses_all(change.before)
    return "takes unknown names now" if opened else None
