"""A new tool.

## Why it matters
No old call names it.

## What to do
Nothing to do.

## Reference
MCP, tools/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ToolAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"tools": [{"name": "open_page", "description": "Open a page.", "inputSchema": {"type": "object"}}]},
    new={
        "tools": [
            {"name": "open_page", "description": "Open a page.", "inputSchema": {"type": "object"}},
            {"name": "close_page", "description": "Close a page.", "inputSchema": {"type": "object"}},
        ]
    },
    of="server",
)


@rule(ToolAdded, level=Level.SAFE, example=EXAMPLE)
def judge(_change: ToolAdded) -> str:
    """Fire on every tool that appeared."""
    return "added"
