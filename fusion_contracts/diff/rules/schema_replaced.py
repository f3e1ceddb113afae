"""A schema was replaced by one of another kind.

## Why it matters
The two cannot be compared part by part; whether old values are still accepted is decided for the whole.

## What to do
Keep accepting the old form for one release, and map it inside the tool.

## Reference
JSON Schema 2020-12 Core, section 4.3 (schemas)
"""

from __future__ import annotations

from fusion_contracts.diff.constraints import is_property, refuses_all
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.schema.changes import SchemaReplaced

EXAMPLE = Example(
    old={"type": "object", "properties": {"to": {"type": "string"}}},
    new={
        "type": "object",
        "properties": {"to": {"type": "string", "anyOf": [{"minLength": 3}, {"pattern": "^a"}]}},
    },
    witness={"to": ""},
)


@rule(SchemaReplaced, level=Level.BREAKING, example=EXAMPLE)
def judge(change: SchemaReplaced) -> str | None:
    """Fire on every replacement by a schema that accepts something."""
    if refuses_all(change.after):
        return None
    if is_property(change.place) and (change.before is None or change.after is None):
        return "must fit one more schema now" if change.before is None else "is described elsewhere now"
    union = (change.place.new or change.place.old or "").rpartition("/")[2]
    if union in {"anyOf", "oneOf"} and (change.before is None or change.after is None):
        return f"must fit one of several forms now ({union})" if change.before is None else f"lost its forms ({union})"
    return "replaced by a different schema"
