"""Characters that people cannot see entered the prose.

## Why it matters
Models read them and people who review the change do not. Hidden instructions are written this way.

## What to do
Remove the characters, and find out how they came in.

## Reference
Unicode Technical Standard 39, section 2 (invisible and bidirectional controls)
"""

from __future__ import annotations

from fusion_contracts.canonical import printable
from fusion_contracts.diff.changes import InvisibleTextAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import dotted

_AROUND = 20  # characters shown on each side

EXAMPLE = Example(
    old={"description": "Open a page."},
    new={"description": "Open a page.\u200b"},
    of="tool",
    also=("description-changed",),  # a text with more characters is another text
)


@rule(InvisibleTextAdded, level=Level.BREAKING, example=EXAMPLE)
def judge(change: InvisibleTextAdded) -> str:
    """Fire on every text with hidden characters that were not there before."""
    at = change.after.find(change.hidden[0])
    shown = printable(change.after[max(at - _AROUND, 0) : at + _AROUND])
    return f'{dotted(change.pointer)}: hidden characters added ("{shown}")'
