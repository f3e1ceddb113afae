"""The server calls itself by another name.

## Why it matters
Clients that know servers by this name may treat it as a new one, and so may their approvals.

## What to do
Keep the name.

## Reference
MCP, Implementation.name
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ServerNameChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    new={"serverInfo": {"name": "page-server", "version": "1.0.0"}},
    of="server",
)


@rule(ServerNameChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: ServerNameChanged) -> str:
    """Fire when serverInfo's name changed."""
    return f"server name {shift(change.before, change.after)}"
