"""Nothing is accepted any more.

## Why it matters
Every call is refused.

## What to do
Restore a schema that accepts the calls, or remove the tool.

## Reference
JSON Schema 2020-12 Core, section 4.3.2 (boolean schemas)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import is_property, refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import SchemaReplaced

EXAMPLE = Example(
    old={"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}},
    new={"type": "object", "properties": {"tags": {"type": "array", "items": {"not": {}}}}},
    witness={"tags": [""]},
)


@rule(SchemaReplaced, level=Level.BREAKING, example=EXAMPLE)
def judge(change: SchemaReplaced) -> str | None:
    """Fire when a schema that is not a property's own accepts nothing any more."""
    fires = refuses_all(change.after) and not is_property(change.place)
    return "accepts nothing any more" if fires else None
