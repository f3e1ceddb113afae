"""The items of a list are restricted now.

## Why it matters
Lists with other items were accepted before and are refused now.

## What to do
Keep accepting the old items, and convert them inside the tool.

## Reference
JSON Schema 2020-12 Core, section 10.3.1.2 and 11.2 (items, unevaluatedItems)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened, refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import ItemsChanged, UnevaluatedChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"tags": {"type": "array"}}},
    new={"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}},
    witness={"tags": [0]},
)


@rule(ItemsChanged, UnevaluatedChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ItemsChanged | UnevaluatedChanged) -> str | None:
    """Fire when a schema for the items appeared or refuses them all."""
    if loosened(change) or (isinstance(change, UnevaluatedChanged) and change.keyword != "unevaluatedItems"):
        return None
    return "takes no further items now" if refuses_all(change.after) else "restricts its items now"
