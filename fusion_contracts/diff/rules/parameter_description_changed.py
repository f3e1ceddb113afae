"""The description of an argument or field was reworded.

## Why it matters
It is what a model reads before it fills in the argument; other words may bring other values.

## What to do
Try the new wording with the models that use the tool.

## Reference
JSON Schema 2020-12 Validation, section 9.1 (description)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import reworded
from fusion_contracts.schema.changes import DescriptionChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"limit": {"type": "integer", "description": "How many."}}},
    new={"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, at most 50."}}},
)


@rule(DescriptionChanged, level=Level.RISKY, fixed=True, side="any", example=EXAMPLE)
def judge(change: DescriptionChanged) -> Verdict:
    """Fire on every reworded description; white space alone is safe."""
    how = reworded(change.before, change.after)
    return (
        Verdict("description differs in white space alone", level=Level.SAFE)
        if how is None
        else Verdict(f"description {how}")
    )
