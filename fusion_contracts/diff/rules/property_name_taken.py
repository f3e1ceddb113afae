"""A name that was free belongs to an argument now.

## Why it matters
The old contract took any name. A call that sent something of its own under this one is refused when the value does not
fit.

## What to do
Choose a name that nobody sends, or accept any value under this one.

## Reference
JSON Schema 2020-12 Core, section 10.3.2 (properties, additionalProperties)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import PropertyAdded

EXAMPLE = Example(
    old={"type": "object", "properties": {"url": {"type": "string"}}, "additionalProperties": True},
    new={
        "type": "object",
        "properties": {"url": {"type": "string"}, "wait": {"type": "integer"}},
        "additionalProperties": True,
    },
    witness={"wait": "x"},
)


@rule(PropertyAdded, level=Level.BREAKING, only="breaks", example=EXAMPLE)
def judge(change: PropertyAdded) -> str | None:
    """Fire when a property that may be left out appeared where any value was taken."""
    if change.required or refuses_all(change.after):
        return None
    return "is an argument now; any value was taken under this name"
