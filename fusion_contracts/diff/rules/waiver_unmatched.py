"""A waiver that was added in this change accepts nothing.

## Why it matters
It was meant to accept a finding, and that one is not there: the id or a name in it is wrong, or the change that it was
written for has changed since. Left in place, it may accept something later that nobody has looked at.

A waiver that stood in the settings at the base and accepts nothing any more is no finding: its change is released.

## What to do
Correct or remove the entry. `fusion waive` lists the waivers with what they accept.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import WaiverUnmatched
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

EXAMPLE = Example(
    old={"today": "2026-12-01", "waivers": []},
    new={"today": "2026-12-01", "waivers": [{"fingerprints": ["d96499d53e9cdc9f"], "reason": "no agent uses it"}]},
    of="waiver",
)


@rule(WaiverUnmatched, level=Level.RISKY, example=EXAMPLE)
def judge(change: WaiverUnmatched) -> str:
    """Fire on every waiver that is new and matches no finding."""
    return f"the waiver for {change.name} matches nothing{change.instead}"
