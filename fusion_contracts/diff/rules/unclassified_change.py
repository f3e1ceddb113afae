"""Something changed that no rule knows.

## Why it matters
A vendor's field, metadata or a keyword of its own may steer clients or models in ways that cannot be judged here.

## What to do
Read what changed, and accept it if it is meant.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import UnclassifiedChange
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.unknown import described
from fusion_contracts.diff.wording import dotted, short
from fusion_contracts.schema.changes import KeywordChanged

EXAMPLE = Example(
    old={"annotations": {"category": "Navigation automation"}},
    new={"annotations": {"category": "navigation"}},
    of="tool",
)


@rule(KeywordChanged, UnclassifiedChange, level=Level.RISKY, exact=True, fixed=True, side="any", example=EXAMPLE)
def judge(change: KeywordChanged | UnclassifiedChange) -> str:
    """Fire on every change that has no other rule."""
    if isinstance(change, UnclassifiedChange):
        return f"{dotted(change.pointer)} {described(change.before, change.after, had=change.had, has=change.has)}"
    return f"{short(change.keyword)} {described(change.before, change.after)}"
