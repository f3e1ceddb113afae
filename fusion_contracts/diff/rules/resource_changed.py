"""A resource has another name, type or size.

## Why it matters
Readers that expect the old type may not understand the new one.

## What to do
Offer the new form under a URI of its own.

## Reference
MCP, Resource
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ResourceChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import shift, short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resources": [{"uri": "file:///notes", "name": "notes", "mimeType": "text/plain"}],
    },
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resources": [{"uri": "file:///notes", "name": "notes", "mimeType": "text/html"}],
    },
    of="server",
)


@rule(ResourceChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: ResourceChanged) -> Verdict:
    """Fire when the name, type or size of a resource changed; the size alone is safe."""
    message = f"resource {short(change.name)} {shift(change.before, change.after)}"
    return Verdict(message, level=Level.SAFE if change.name.endswith(" size") else None)
