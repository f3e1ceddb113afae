"""A prompt takes one more argument, or needs one less.

## Why it matters
Old uses stay valid.

## What to do
Nothing to do.

## Reference
MCP, PromptArgument
"""

from __future__ import annotations

from fusion_contracts.diff.changes import PromptArgumentAdded, PromptArgumentRequiredChanged
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
        "prompts": [
            {
                "name": "review",
                "description": "Review a change.",
                "arguments": [{"name": "diff", "required": True}, {"name": "style"}],
            }
        ],
    },
    of="server",
)


@rule(PromptArgumentAdded, PromptArgumentRequiredChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: PromptArgumentAdded | PromptArgumentRequiredChanged) -> str | None:
    """Fire when an optional argument appeared, or one became optional."""
    if isinstance(change, PromptArgumentAdded):
        return None if change.after["required"] else f"prompt {short(change.name)} added"
    return None if change.after else f"prompt {short(change.name)} is now optional"
