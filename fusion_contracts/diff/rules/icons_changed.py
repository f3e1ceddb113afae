"""The icons changed.

## Why it matters
They are shown to people. No call depends on one.

## What to do
Nothing to do.

## Reference
MCP, Icon
"""

from __future__ import annotations

from fusion_contracts.diff.changes import IconsChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import about

EXAMPLE = Example(
    old={},
    new={"icons": [{"src": "https://example.com/icon.png"}]},
    of="tool",
)


@rule(IconsChanged, level=Level.SAFE, example=EXAMPLE)
def judge(change: IconsChanged) -> str:
    """Fire on every change of icons."""
    return about(change.name, "icons changed")
