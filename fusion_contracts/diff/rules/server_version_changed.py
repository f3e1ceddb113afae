"""The server has another version.

## Why it matters
No call depends on it.

## What to do
Nothing to do.

## Reference
MCP, Implementation.version
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ServerVersionChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    new={"serverInfo": {"name": "pages", "version": "1.1.0"}},
    of="server",
)


@rule(ServerVersionChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: ServerVersionChanged) -> str:
    """Fire when serverInfo's version changed."""
    return f"server version {shift(change.before, change.after)}"
