"""A prompt has another name.

## Why it matters
Every use under the old name fails.

## What to do
Keep the old name beside the new one for one release.

## Reference
MCP, prompts/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import PromptRenamed
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [
            {"name": "re-view", "description": "Review a change.", "arguments": [{"name": "diff", "required": True}]}
        ],
    },
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "prompts": [
            {"name": "review", "description": "Review a change.", "arguments": [{"name": "diff", "required": True}]}
        ],
    },
    of="server",
)


@rule(PromptRenamed, level=Level.BREAKING, example=EXAMPLE)
def judge(change: PromptRenamed) -> Verdict:
    """Fire on every prompt whose twin appeared under another name."""
    return Verdict(f"prompt {short(change.name)} renamed to {short(change.after)}", successor=change.after)
