"""A tool is said to destroy things now.

## Why it matters
Approvals were given to a tool that was said to destroy nothing. Left out, the hint counts as true.

## What to do
Leave the old tool as it is and destroy in a new one.

## Reference
MCP, ToolAnnotations
"""

from __future__ import annotations

from fusion_contracts.diff.changes import HintChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"annotations": {"destructiveHint": False}},
    new={"annotations": {"destructiveHint": True}},
    of="tool",
)


@rule(HintChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: HintChanged) -> str | None:
    """Fire when `destructiveHint` became true on a tool that writes before or after."""
    fires = change.name == "destructiveHint" and change.new and not change.old and change.matters
    return "now destructive: approvals were given to a tool that was not" if fires else None
