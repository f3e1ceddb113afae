"""A server is gone.

## Why it matters
Every call of its tools fails.

## What to do
Keep the server, or tell its agents where its tools went.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ServerRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={
        "servers": {
            "a": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
            "b": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
            "c": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
        }
    },
    new={
        "servers": {
            "a": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
            "b": {"serverInfo": {"name": "pages", "version": "1.0.0"}},
        }
    },
    of="server",
)


@rule(ServerRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(_change: ServerRemoved) -> str:
    """Fire on every server that vanished."""
    return "server removed"
