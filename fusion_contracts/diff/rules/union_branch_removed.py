"""One of several accepted forms is gone.

## Why it matters
Calls of that form were accepted before and are refused now.

## What to do
Keep accepting the form, and translate it inside the tool.

## Reference
JSON Schema 2020-12 Core, section 10.2.1 (anyOf, oneOf)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import describe
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import BranchRemoved

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
            "to": {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}]}
        },
    },
    witness={"to": {"b": ""}},
)


@rule(BranchRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: BranchRemoved) -> str:
    """Fire on every branch that vanished."""
    return describe(change)
