"""The schema is read in another dialect, and does not mean the same there.

## Why it matters
The same keywords may mean something else, so that calls that worked are refused or judged otherwise.

## What to do
Write the schema so that it means the same in the new dialect.

## Reference
JSON Schema 2020-12 Core, section 8.1.1 ($schema)
"""

from __future__ import annotations

from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import shift
from fusion_contracts.schema.changes import DialectChanged

_NUMBER = {"definitions": {"n": {"type": "number"}}, "properties": {"a": {"$ref": "#/definitions/n", "minimum": 5}}}
EXAMPLE = Example(
    old={"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", **_NUMBER},
    new={"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", **_NUMBER},
    witness={"a": 4},
    also=("minimum-raised",),  # draft-07 ignores what stands beside a reference, so the bound is new as well
)


@rule(DialectChanged, level=Level.RISKY, side="any", example=EXAMPLE)
def judge(change: DialectChanged) -> str:
    """Fire on every change of dialect; where the text means the same in both it is told as a rewrite instead."""
    return f"dialect {shift(change.before, change.after)}"
