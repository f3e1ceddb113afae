"""A tool is no longer said to only read.

## Why it matters
Clients approve tools that only read without asking. Approvals given on the hint cover a tool that writes now.

## What to do
Leave reading to the old tool and write in a new one.

## Reference
MCP, ToolAnnotations
"""

from __future__ import annotations

from fusion_contracts.diff.changes import HintChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"annotations": {"readOnlyHint": True}},
    new={"annotations": {"readOnlyHint": False}},
    of="tool",
)


@rule(HintChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: HintChanged) -> str | None:
    """Fire when `readOnlyHint` was true and is not."""
    fires = change.name == "readOnlyHint" and change.old and not change.new
    return "no longer read-only: clients that approve reads now ask" if fires else None
