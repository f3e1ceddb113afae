"""A tool has another name.

## Why it matters
Every call under the old name fails.

## What to do
Keep the old name beside the new one for one release.

## Reference
MCP, tools/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ToolRenamed
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"tools": [{"name": "open-page", "description": "Open a page.", "inputSchema": {"type": "object"}}]},
    new={"tools": [{"name": "open_page", "description": "Open a page.", "inputSchema": {"type": "object"}}]},
    of="server",
)


@rule(ToolRenamed, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ToolRenamed) -> Verdict:
    """Fire on every tool whose twin appeared under another name."""
    return Verdict(f"renamed to {short(change.after)}", successor=change.after)
