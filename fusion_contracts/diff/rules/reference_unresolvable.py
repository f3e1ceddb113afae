"""A reference leads out of the schema, or nowhere.

## Why it matters
References are followed inside the document only; what one outside it says is not known, and not every client can
follow it.

## What to do
Copy the definition into the schema.

## Reference
JSON Schema 2020-12 Core, section 8.2.3 ($ref)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import value
from fusion_contracts.schema.changes import ReferenceChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"to": {"$ref": "https://example.com/a.json"}}},
    new={"type": "object", "properties": {"to": {"$ref": "https://example.com/b.json"}}},
)


@rule(ReferenceChanged, level=Level.RISKY, fixed=True, only="breaks", side="any", example=EXAMPLE)
def judge(change: ReferenceChanged) -> str:
    """Fire when a reference that cannot be followed appeared, vanished or changed."""
    if change.after is None:
        return f"no longer refers to {value(change.before)}, which could not be followed"
    return f"refers to {value(change.after)}, which cannot be followed"
