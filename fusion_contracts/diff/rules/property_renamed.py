"""An argument has another name.

## Why it matters
Agents go on sending the old name. It is refused, or ignored in silence, and where the new name is required the call
fails.

## What to do
Accept the old name beside the new one for one release.

## Reference
JSON Schema 2020-12 Core, section 10.3.2.1 (properties)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short
from fusion_contracts.schema.changes import PropertyRenamed

EXAMPLE = Example(
    old={
        "type": "object",
        "properties": {"ref": {"type": "string", "description": "Exact target element reference"}},
        "required": ["ref"],
    },
    new={
        "type": "object",
        "properties": {"target": {"type": "string", "description": "Exact target element reference"}},
        "required": ["target"],
    },
    witness={"ref": "e12"},
)


@rule(PropertyRenamed, level=Level.RISKY, keeps=True, example=EXAMPLE)
def judge(change: PropertyRenamed) -> Verdict:
    """Fire when one property took the place of another."""
    successor = short(change.successor)
    if change.carries:
        message = f"is now {successor}; the value carries over"
    else:
        message = f"replaced by {successor}; values may not carry over"
    return Verdict(message, successor=change.successor, silent=True)
