"""An action of a grouped tool has another name.

## Why it matters
Every call that selects it by the old name fails.

## What to do
Accept the old name beside the new one for one release.

## Reference
fusion-contracts: a grouped tool has one action for each value of the argument that selects
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ActionRenamed
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short

_OPEN = {
    "properties": {"action": {"const": "open"}, "url": {"type": "string"}},
    "required": ["action", "url"],
}
_CLOSE = {"properties": {"action": {"const": "close"}, "id": {"type": "integer"}}, "required": ["action", "id"]}
_SHUT = {"properties": {"action": {"const": "shut"}, "id": {"type": "integer"}}, "required": ["action", "id"]}

EXAMPLE = Example(
    old={"type": "object", "oneOf": [_OPEN, _CLOSE]},
    new={"type": "object", "oneOf": [_OPEN, _SHUT]},
    witness={"action": "close", "id": 1},
)


@rule(ActionRenamed, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ActionRenamed) -> Verdict:
    """Fire on every action whose twin appeared under another name."""
    return Verdict(f"action {short(change.before)} renamed to {short(change.after)}", successor=change.after)
