"""The tools cost the model much more than before.

## Why it matters
Every tool is in the prompt of every call: a longer catalog costs money and time at each turn, and leaves less room for
the task. Models choose worse among more text.

Counted are the compact name, description and input schema of each tool, at two tokens for nine bytes. It is a finding
when the sum grew by more than `token-growth-percent` of `[tool.fusion]` (25 by default) and by 500 tokens or more.

## What to do
Shorten descriptions and schemas, or leave tools out that few agents need. Where the growth is wanted, allow more in
`token-growth-percent`.

## Reference
MCP, tools/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import CatalogGrew
from fusion_contracts.diff.cost import Cost
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"tools": [{"name": "open_page", "description": "Open a page.", "inputSchema": {"type": "object"}}]},
    new={
        "tools": [
            {"name": "open_page", "description": "Open a page. " * 180, "inputSchema": {"type": "object"}},
        ]
    },
    of="server",
    also=("description-changed",),  # no catalog grows without a change of what it holds
)


@rule(CatalogGrew, level=Level.RISKY, example=EXAMPLE)
def judge(change: CatalogGrew) -> str:
    """Fire on every catalog that grew by more than its share."""
    return f"the tools cost the model {Cost('', change.before, change.after)}"
