"""A prompt needs an argument that could be left out.

## Why it matters
Uses without it worked before and are refused now.

## What to do
Keep the argument optional.

## Reference
MCP, PromptArgument.required
"""

from __future__ import annotations

from fusion_contracts.diff.changes import PromptArgumentAdded, PromptArgumentRequiredChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [{"name": "review", "description": "Review a change.", "arguments": [{"name": "diff"}]}],
    },
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [
            {"name": "review", "description": "Review a change.", "arguments": [{"name": "diff", "required": True}]}
        ],
    },
    of="server",
)


@rule(PromptArgumentAdded, PromptArgumentRequiredChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PromptArgumentAdded | PromptArgumentRequiredChanged) -> str | None:
    """Fire when an argument that must be given appeared, or one became required."""
    added = isinstance(change, PromptArgumentAdded)
    required = change.after["required"] if added else change.after
    said = "is new and required" if added else "is now required"
    return f"prompt {short(change.name)} {said}" if required else None
