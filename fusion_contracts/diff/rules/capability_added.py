"""The server offers a capability more.

## Why it matters
No old client uses it.

## What to do
Nothing to do.

## Reference
MCP, ServerCapabilities
"""

from __future__ import annotations

from fusion_contracts.diff.changes import CapabilityAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}, "capabilities": {"tools": {}}},
    new={"serverInfo": {"name": "pages", "version": "1.0.0"}, "capabilities": {"logging": {}, "tools": {}}},
    of="server",
)


@rule(CapabilityAdded, level=Level.SAFE, example=EXAMPLE)
def judge(change: CapabilityAdded) -> str:
    """Fire on every capability that appeared."""
    return f"capability {short(change.name)} added"
