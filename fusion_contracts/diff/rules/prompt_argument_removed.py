"""A prompt takes an argument no longer.

## Why it matters
Uses that give it are refused or ignore it.

## What to do
Keep taking the argument for one release.

## Reference
MCP, PromptArgument
"""

from __future__ import annotations

from fusion_contracts.diff.changes import PromptArgumentRemoved
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
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [{"name": "review", "description": "Review a change.", "arguments": []}],
    },
    of="server",
)


@rule(PromptArgumentRemoved, level=Level.RISKY, example=EXAMPLE)
def judge(change: PromptArgumentRemoved) -> str:
    """Fire on every argument that vanished."""
    return f"prompt {short(change.name)} removed"
