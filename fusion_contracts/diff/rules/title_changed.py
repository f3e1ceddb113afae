"""A title changed.

## Why it matters
Titles are shown to people. No call depends on one.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 9.1 (title), and MCP, Tool.title
"""

from __future__ import annotations

from fusion_contracts.diff.changes import DisplayTitleChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import about, shift
from fusion_contracts.schema.changes import TitleChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"limit": {"type": "integer", "title": "Limit"}}},
    new={"type": "object", "properties": {"limit": {"type": "integer", "title": "At most"}}},
)


@rule(DisplayTitleChanged, TitleChanged, level=Level.SAFE, fixed=True, side="any", example=EXAMPLE)
def judge(change: DisplayTitleChanged | TitleChanged) -> str:
    """Fire on every changed title."""
    message = f"title {shift(change.before, change.after)}"
    return about(change.name, message) if isinstance(change, DisplayTitleChanged) else message
