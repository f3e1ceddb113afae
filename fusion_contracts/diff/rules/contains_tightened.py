"""A list must hold other items, or more of them, or fewer.

## Why it matters
Lists that do not were accepted before and are refused now.

## What to do
Keep accepting such lists.

## Reference
JSON Schema 2020-12 Core, section 10.3.1.3 (contains), and Validation, section 6.4 (minContains, maxContains)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe, loosened, tightened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BoundChanged, ContainsChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"tags": {"type": "array"}}},
    new={"type": "object", "properties": {"tags": {"type": "array", "contains": {"const": "a"}}}},
    witness={"tags": []},
)


@rule(BoundChanged, ContainsChanged, level=Level.BREAKING, exact=True, example=EXAMPLE)
def judge(change: BoundChanged | ContainsChanged) -> str | None:
    """Fire when what a list must contain appeared, changed or was counted more strictly."""
    if isinstance(change, BoundChanged):
        return tightened(change, "minContains", "maxContains")
    return None if loosened(change) else describe(change)
