"""An action of a grouped tool is gone.

## Why it matters
Every call that selects it fails.

## What to do
Keep the action for one release and let its description name what replaces it.

## Reference
fusion-contracts: a grouped tool has one action for each value of the argument that selects
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ActionRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

_OPEN = {
    "properties": {"action": {"const": "open"}, "url": {"type": "string"}},
    "required": ["action", "url"],
}
_CLOSE = {"properties": {"action": {"const": "close"}, "id": {"type": "integer"}}, "required": ["action", "id"]}
_LIST = {"properties": {"action": {"const": "list"}}, "required": ["action"]}

EXAMPLE = Example(
    old={"type": "object", "oneOf": [_OPEN, _CLOSE, _LIST]},
    new={"type": "object", "oneOf": [_OPEN, _LIST]},
    witness={"action": "close", "id": 1},
)


@rule(ActionRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: ActionRemoved) -> str:
    """Fire on every action that vanished."""
    return f"action {short(change.before)} removed"
