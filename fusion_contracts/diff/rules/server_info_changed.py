"""What the server shows of itself changed.

## Why it matters
Title, icons and web site are shown to people. No call depends on them.

## What to do
Nothing to do.

## Reference
MCP, Implementation
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ServerInfoChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    new={"serverInfo": {"name": "pages", "version": "1.0.0", "title": "Pages"}},
    of="server",
)


@rule(ServerInfoChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: ServerInfoChanged) -> str:
    """Fire when a field of serverInfo that is for people changed."""
    return (
        f"server {change.name} changed"
        if change.name == "icons"
        else f"server {change.name} {shift(change.before, change.after)}"
    )
