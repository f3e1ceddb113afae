"""A tool reaches beyond its own domain now.

## Why it matters
What it returns may come from strangers, and approvals may have counted on the opposite.

## What to do
Leave the closed tool as it is and reach out in a new one.

## Reference
MCP, ToolAnnotations
"""

from __future__ import annotations

from fusion_contracts.diff.changes import HintChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"annotations": {"openWorldHint": False}},
    new={"annotations": {"openWorldHint": True}},
    of="tool",
)


@rule(HintChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: HintChanged) -> str | None:
    """Fire when `openWorldHint` became true."""
    fires = change.name == "openWorldHint" and change.new and not change.old
    return "now open to the outside world" if fires else None
