"""A tool promises structured output now.

## Why it matters
Old readers took the text and still can.

## What to do
Nothing to do.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.changes import OutputSchemaAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={},
    new={"outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}},
    of="tool",
)


@rule(OutputSchemaAdded, level=Level.SAFE, side="output", example=EXAMPLE)
def judge(_change: OutputSchemaAdded) -> str:
    """Fire on every output schema that appeared."""
    return "output schema added"
