"""A new prompt.

## Why it matters
Nobody used it before.

## What to do
Nothing to do.

## Reference
MCP, prompts/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import PromptAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [
            {"name": "review", "description": "Review a change.", "arguments": [{"name": "diff", "required": True}]}
        ],
    },
    of="server",
)


@rule(PromptAdded, level=Level.SAFE, example=EXAMPLE)
def judge(change: PromptAdded) -> str:
    """Fire on every prompt that appeared."""
    return f"prompt {short(change.name)} added"
