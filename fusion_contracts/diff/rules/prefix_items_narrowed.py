"""An item of a list, known by its position, is restricted now.

## Why it matters
Lists with another value there were accepted before and are refused now.

## What to do
Keep accepting the old value at this position.

## Reference
JSON Schema 2020-12 Core, section 10.3.1.1 (prefixItems)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import loosened
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PrefixItemChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"point": {"type": "array"}}},
    new={"type": "object", "properties": {"point": {"type": "array", "prefixItems": [{"type": "number"}]}}},
    witness={"point": [""]},
)


@rule(PrefixItemChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PrefixItemChanged) -> str | None:
    """Fire when a schema for one position appeared."""
    return None if loosened(change) else "is restricted now"
