"""One more form is accepted.

## Why it matters
Old calls stay valid. A new branch of `oneOf` that overlaps an old one refuses what both take; then the change
breaks and says so.

## What to do
Nothing to do. In `oneOf`, tell the branches apart by a constant.

## Reference
JSON Schema 2020-12 Core, section 10.2.1 (anyOf, oneOf)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.schema.changes import BranchAdded

EXAMPLE = Example(
    old={
        "type": "object",
        "properties": {
            "to": {
                "anyOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
                ]
            }
        },
    },
    new={
        "type": "object",
        "properties": {
            "to": {
                "anyOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
                    {"type": "object", "properties": {"c": {"type": "string"}}, "required": ["c"]},
                ]
            }
        },
    },
)


_APART = "Where branches overlap, tell them apart by a constant, so that no value fits two of them."


@rule(BranchAdded, level=Level.SAFE, example=EXAMPLE)
def judge(change: BranchAdded) -> Verdict:
    """Fire on every branch that appeared."""
    return Verdict(describe(change), hint=_APART if change.keyword == "oneOf" else None)
