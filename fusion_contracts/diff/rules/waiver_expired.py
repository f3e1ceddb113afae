"""The last day of a waiver is over.

## Why it matters
What it accepted counts again. It was accepted for a time: until the agents concerned would know the new contract.

It is a finding where the waiver would still accept something, and in every comparison with a base.

## What to do
See whether the time was enough: `fusion waive ID --until DATE` accepts it for longer, and `fusion waive --prune` drops
the waiver.
"""

from __future__ import annotations

from fusion_contracts.diff.changes import WaiverExpired
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule

_WAIVERS = [{"rule": "tool-removed", "tool": "open_page", "reason": "no agent uses it", "until": "2026-12-31"}]
EXAMPLE = Example(
    old={"today": "2026-12-31", "waivers": _WAIVERS},
    new={"today": "2027-01-01", "waivers": _WAIVERS},
    of="waiver",
)


@rule(WaiverExpired, level=Level.RISKY, example=EXAMPLE)
def judge(change: WaiverExpired) -> str:
    """Fire on every waiver after its last day."""
    return f"the waiver for {change.name} expired on {change.before}"
