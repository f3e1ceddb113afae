"""A new server.

## Why it matters
No old call names it.

## What to do
Nothing to do.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ServerAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={
        "servers": {
            "a": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
            "b": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
        }
    },
    new={
        "servers": {
            "a": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
            "b": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
            "c": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
        }
    },
    of="server",
)


@rule(ServerAdded, level=Level.SAFE, example=EXAMPLE)
def judge(_change: ServerAdded) -> str:
    """Fire on every server that appeared."""
    return "server added"
