"""The input schema no longer says anything.

## Why it matters
Every call is still valid, and agents are blind: nothing tells them which arguments the tool takes.

## What to do
List the arguments again.

## Reference
MCP, Tool.inputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import SchemaEmptied

EXAMPLE = Example(
    old={"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
    new={"type": "object"},
)


@rule(SchemaEmptied, level=Level.RISKY, keeps=True, example=EXAMPLE)
def judge(_change: SchemaEmptied) -> str:
    """Fire when a schema lost all that it said."""
    return "says nothing about its arguments any more"
