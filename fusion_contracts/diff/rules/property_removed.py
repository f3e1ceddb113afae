"""An argument is gone.

## Why it matters
Agents go on sending it. A closed object refuses the call; an open one ignores the value, and many servers drop
unknown names in silence even where their schema is closed: the answer then looks right and is not.

## What to do
Keep taking the argument for one release, or name in the description what replaces it.

## Reference
JSON Schema 2020-12 Core, section 10.3.2 (properties, additionalProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.schema.changes import PropertyRemoved

EXAMPLE = Example(
    old={"type": "object", "properties": {"url": {"type": "string"}, "wait": {"type": "string"}}},
    new={"type": "object", "properties": {"url": {"type": "string"}}},
)


@rule(PropertyRemoved, level=Level.RISKY, keeps=True, example=EXAMPLE)
def judge(_change: PropertyRemoved) -> Verdict:
    """Fire on every property that is no longer named."""
    return Verdict("removed", silent=True)
