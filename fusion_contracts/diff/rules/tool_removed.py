"""A tool is gone.

## Why it matters
Every call of it fails.

## What to do
Keep the tool for one release and let its description name what replaces it.

## Reference
MCP, tools/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ToolRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "tools": [
            {"name": "open_page", "description": "Open a page.", "inputSchema": {"type": "object"}},
            {"name": "search", "description": "Close a page.", "inputSchema": {"type": "object"}},
        ]
    },
    new={"tools": [{"name": "open_page", "description": "Open a page.", "inputSchema": {"type": "object"}}]},
    of="server",
)


@rule(ToolRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ToolRemoved) -> str:
    """Fire on every tool that vanished."""
    return f"removed; closest: {short(change.name)}" if change.name else "removed"
