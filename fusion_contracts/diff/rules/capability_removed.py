"""The server no longer offers a capability.

## Why it matters
Clients that use it fail. Where it is `listChanged` no call fails: clients are no longer told when a list changes, and
go on with the one they have.

## What to do
Keep the capability.

## Reference
MCP, ServerCapabilities
"""

from __future__ import annotations

from fusion_contracts.diff.changes import CapabilityRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}, "capabilities": {"logging": {}, "tools": {}}},
    new={"serverInfo": {"name": "pages", "version": "1.0.0"}, "capabilities": {"tools": {}}},
    of="server",
)


@rule(CapabilityRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: CapabilityRemoved) -> Verdict:
    """Fire on every capability that vanished.

    One that said nothing is no loss. No call needs `listChanged`, nor what is neither a flag nor an object.
    """
    offers = change.before is True or isinstance(change.before, dict)
    level = None if offers and not change.name.endswith("/listChanged") else Level.RISKY
    if change.before is False or change.name in {"experimental", "extensions"}:
        level = Level.SAFE
    return Verdict(f"capability {short(change.name)} removed", level=level)
