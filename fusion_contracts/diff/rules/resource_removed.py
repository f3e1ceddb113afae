"""A resource is gone.

## Why it matters
Every reading of it fails.

## What to do
Keep the resource for one release.

## Reference
MCP, resources/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ResourceRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resources": [{"uri": "file:///notes", "name": "notes", "mimeType": "text/plain"}],
    },
    new={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    of="server",
)


@rule(ResourceRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ResourceRemoved) -> str:
    """Fire on every resource that vanished."""
    return f"resource {short(change.name)} removed"
