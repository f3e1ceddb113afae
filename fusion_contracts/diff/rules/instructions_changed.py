"""The server's instructions were reworded.

## Why it matters
Clients hand them to the model; other words may bring other choices.

## What to do
Try the new wording with the models that use the server.

## Reference
MCP, InitializeResult.instructions
"""

from __future__ import annotations

from fusion_contracts.diff.changes import InstructionsChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import reworded

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}, "instructions": "Open a page first."},
    new={"serverInfo": {"name": "pages", "version": "1.0.0"}, "instructions": "Ask before opening a page."},
    of="server",
)


@rule(InstructionsChanged, level=Level.RISKY, example=EXAMPLE)
def judge(change: InstructionsChanged) -> Verdict:
    """Fire on reworded instructions; white space alone is safe."""
    how = reworded(change.before, change.after)
    return (
        Verdict("instructions differ in white space alone", level=Level.SAFE)
        if how is None
        else Verdict(f"instructions {how}")
    )
