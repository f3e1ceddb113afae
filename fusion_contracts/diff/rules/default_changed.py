"""The value that stands in for a missing argument changed.

## Why it matters
Calls that leave the argument out stay valid and may do something else.

## What to do
Keep the old default, or name the change in the description.

## Reference
JSON Schema 2020-12 Validation, section 9.2 (default)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import shift
from fusion_contracts.schema.changes import DefaultChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"limit": {"type": "integer", "default": 10}}},
    new={"type": "object", "properties": {"limit": {"type": "integer", "default": 100}}},
)


@rule(DefaultChanged, level=Level.RISKY, fixed=True, side="any", example=EXAMPLE)
def judge(change: DefaultChanged) -> Verdict:
    """Fire on every changed default.

    An optional argument that gains `null` says nothing new; and what every call had to send needed no default.
    """
    message = f"default {shift(change.before, change.after, had=change.had, has=change.has)}"
    gained = change.has and not change.had
    nothing_new = gained and (change.needed or (change.optional and change.after is None))
    return Verdict(message, level=Level.SAFE if nothing_new else None)
