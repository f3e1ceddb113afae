"""Whether a change breaks could not be decided.

## Why it matters
What is not proved compatible is never called safe. The reason says what stood in the way.

## What to do
Compare the two versions by hand, or write the schema more plainly.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import Undecided
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"type": "object", "properties": {"to": {"$ref": "https://example.com/a.json"}}},
    new={"type": "object", "properties": {"to": {"$ref": "https://example.com/b.json"}}},
)


@rule(Undecided, level=Level.RISKY, fixed=True, side="any", example=EXAMPLE)
def judge(change: Undecided) -> str:
    """Fire on every group of changes that could not be decided."""
    changed = f"{change.name}; " if change.name else ""
    return f"{changed}could not be decided: {short(change.reason, 200)}"
