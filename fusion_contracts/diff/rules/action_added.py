"""A grouped tool has a new action.

## Why it matters
Calls of the other actions are not concerned.

## What to do
Nothing; tell agents about it in the tool's description.

## Reference
fusion-contracts: a grouped tool has one action for each value of the argument that selects
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ActionAdded
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
    old={"type": "object", "oneOf": [_OPEN, _CLOSE]},
    new={"type": "object", "oneOf": [_OPEN, _CLOSE, _LIST]},
)


@rule(ActionAdded, level=Level.SAFE, example=EXAMPLE)
def judge(change: ActionAdded) -> str:
    """Fire on every action that appeared."""
    return f"action {short(change.after)} added"
