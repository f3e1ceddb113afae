"""The schema is written differently and accepts the same values.

## Why it matters
Order, references into the document and another spelling of the same set change nothing for a call.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Core, section 8.2 (references)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import ReferenceChanged, Rewritten

EXAMPLE = Example(
    old={"type": "object", "properties": {"id": {"type": ["string", "null"]}}},
    new={"type": "object", "properties": {"id": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
)


@rule(ReferenceChanged, Rewritten, level=Level.SAFE, only="safe", side="any", example=EXAMPLE)
def judge(_change: ReferenceChanged | Rewritten) -> str:
    """Fire on the one edit that stands for all rewritings of a schema."""
    return "written differently, with the same meaning"
