"""A repeated call may act twice now.

## Why it matters
Clients repeat calls of idempotent tools after a lost answer.

## What to do
Keep repeated calls harmless, for example by a key in the arguments.

## Reference
MCP, ToolAnnotations
"""

from __future__ import annotations

from fusion_contracts.diff.changes import HintChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"annotations": {"idempotentHint": True}},
    new={"annotations": {"idempotentHint": False}},
    of="tool",
)


@rule(HintChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: HintChanged) -> str | None:
    """Fire when `idempotentHint` was true and is not, on a tool that writes."""
    fires = change.name == "idempotentHint" and change.old and not change.new and change.matters
    return "no longer idempotent: a repeated call may act twice" if fires else None
