"""Old values are refused, through changes that could not be told apart.

## Why it matters
The pair of schemas is proved incompatible though no single edit is.

## What to do
Keep accepting the old form for one release, and map it inside the tool.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import SchemaNarrowed
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import Rewritten

EXAMPLE = Example(
    old={"type": "object", "properties": {"a": {"type": "string"}}},
    new={"type": "object", "properties": {"a": {"type": "integer"}}},
)


@rule(Rewritten, SchemaNarrowed, level=Level.BREAKING, only="breaks", side="any", example=EXAMPLE)
def judge(change: Rewritten | SchemaNarrowed) -> str:
    """Fire when the whole pair breaks and no edit says why."""
    message = "no longer compatible; no single change explains it"
    return f"{change.name} {message}" if isinstance(change, SchemaNarrowed) else message
