"""A tool no longer promises structured output.

## Why it matters
Readers of the structured content may find none.

## What to do
Keep the output schema while the content is still structured.

## Reference
MCP, Tool.outputSchema
"""

from __future__ import annotations

from fusion_contracts.diff.changes import OutputSchemaRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}},
    new={},
    of="tool",
)


@rule(OutputSchemaRemoved, level=Level.BREAKING, side="output", example=EXAMPLE)
def judge(_change: OutputSchemaRemoved) -> str:
    """Fire on every output schema that vanished."""
    return "output schema removed: structured output is no longer promised"
