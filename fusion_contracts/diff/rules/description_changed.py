"""A description was reworded.

## Why it matters
It is what a model reads before it chooses; other words may bring other choices.

## What to do
Try the new wording with the models that use it.

## Reference
MCP, Tool.description
"""

from __future__ import annotations

from fusion_contracts.diff.changes import ProseChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import about, reworded

EXAMPLE = Example(
    old={"description": "Create an issue."},
    new={"description": "Create an issue. Always ask for a project first."},
    of="tool",
)


@rule(ProseChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: ProseChanged) -> Verdict:
    """Fire on every reworded description; white space alone is safe."""
    how = reworded(change.before, change.after)
    if how is None:
        return Verdict(about(change.name, "description differs in white space alone"), level=Level.SAFE)
    return Verdict(about(change.name, f"description {how}"))
