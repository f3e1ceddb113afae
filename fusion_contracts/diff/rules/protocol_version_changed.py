"""Another version of the protocol was negotiated.

## Why it matters
Clients that speak only the old version may not connect, and the listing itself depends on the version.

## What to do
Keep offering the old version.

## Reference
MCP, Lifecycle (version negotiation)
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ProtocolVersionChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"protocolVersion": "2025-06-18"},
    new={"protocolVersion": "2025-11-25"},
    of="server",
)


@rule(ProtocolVersionChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: ProtocolVersionChanged) -> str:
    """Fire on every other protocol version."""
    return f"protocol {short(change.before)} -> {short(change.after)}"
