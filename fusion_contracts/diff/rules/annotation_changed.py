"""A note on the schema changed.

## Why it matters
Comments, `readOnly`, `writeOnly` and the content keywords describe a value and refuse none.

## What to do
Nothing to do.

## Reference
JSON Schema 2020-12 Validation, section 8 and 9 (annotations)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift, short
from fusion_contracts.schema.changes import AnnotationChanged, DeprecatedChanged

EXAMPLE = Example(
    old={"type": "object", "properties": {"unit": {"type": "string", "$comment": "SI"}}},
    new={"type": "object", "properties": {"unit": {"type": "string", "$comment": "ISO"}}},
)


@rule(AnnotationChanged, DeprecatedChanged, level=Level.SAFE, exact=True, fixed=True, side="any", example=EXAMPLE)
def judge(change: AnnotationChanged | DeprecatedChanged) -> str | None:
    """Fire on annotations that have no rule of their own."""
    if isinstance(change, DeprecatedChanged):
        return None if change.after is True else "is no longer deprecated"
    return f"{short(change.keyword)} {shift(change.before, change.after)}"
