"""A tool is said to be safer than before.

## Why it matters
Clients may stop asking. Hints of a server that is not trusted are claims: it may be asking for approval.

## What to do
Accept it if the tool did change, or the server is yours.

## Reference
MCP, ToolAnnotations
"""

from __future__ import annotations

from fusion_contracts.diff.changes import HintChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"annotations": {"readOnlyHint": False}},
    new={"annotations": {"readOnlyHint": True}},
    of="tool",
)


@rule(HintChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: HintChanged) -> str | None:
    """Fire when a hint that has an effect moved towards safety."""
    safe = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    fires = change.old != change.new and change.new == safe[change.name] and change.matters
    return f"{change.name} is {str(change.new).lower()} now: said to be safer than before" if fires else None
