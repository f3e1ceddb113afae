"""A prompt is gone.

## Why it matters
Every use of it fails.

## What to do
Keep the prompt for one release.

## Reference
MCP, prompts/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import PromptRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [
            {"name": "review", "description": "Review a change.", "arguments": [{"name": "diff", "required": True}]}
        ],
    },
    new={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    of="server",
)


@rule(PromptRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PromptRemoved) -> str:
    """Fire on every prompt that vanished."""
    return f"prompt {short(change.name)} removed"
