"""A hint is written differently and says the same.

## Why it matters
A default written out changes nothing, and some hints say nothing of a tool that only reads.

## What to do
Nothing to do.

## Reference
MCP, ToolAnnotations
"""

from __future__ import annotations

from fusion_contracts.diff.changes import HintChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift

EXAMPLE = Example(
    old={"annotations": {}},
    new={"annotations": {"destructiveHint": True}},
    of="tool",
)


@rule(HintChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: HintChanged) -> str | None:
    """Fire when the hint has no effect, or the same one."""
    if change.old != change.new and change.matters:
        return None
    return f"{change.name} {shift(change.before, change.after)}, without effect"
