"""A tool is run as a task in another way.

## Why it matters
Clients that run it as they did may be refused, or wait where they did not.

## What to do
Keep the old mode allowed.

## Reference
MCP 2025-11-25, Tool.execution
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ExecutionChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift

EXAMPLE = Example(
    old={},
    new={"execution": {"taskSupport": "required"}},
    of="tool",
)


@rule(ExecutionChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: ExecutionChanged) -> str:
    """Fire on every change of the execution mode."""
    return f"execution mode {shift(change.before, change.after)}"
