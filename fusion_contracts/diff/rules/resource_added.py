"""A new resource.

## Why it matters
Nobody read it before.

## What to do
Nothing to do.

## Reference
MCP, resources/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ResourceAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resources": [{"uri": "file:///notes", "name": "notes", "mimeType": "text/plain"}],
    },
    of="server",
)


@rule(ResourceAdded, level=Level.SAFE, example=EXAMPLE)
def judge(change: ResourceAdded) -> str:
    """Fire on every resource that appeared."""
    return f"resource {short(change.name)} added"
