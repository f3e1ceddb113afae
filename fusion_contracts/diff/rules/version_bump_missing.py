"""The version moved too little for what changed, or went back.

## Why it matters
Who depends on a range of versions takes this one without asking, and agents that learned the contract before meet
another. The rule is asked for with `fusion check --expect-bump`.

## What to do
Raise the declared version before the release.

## Reference
Semantic Versioning 2.0.0, sections 4 and 6 to 9
"""

from __future__ import annotations

from fusion_contracts.diff.changes import VersionBumpMissing
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.4.0"}, "tools": [{"name": "open"}, {"name": "print"}]},
    new={"serverInfo": {"name": "pages", "version": "1.5.0"}, "tools": [{"name": "open"}]},
    of="server",
    also=("tool-removed", "server-version-changed"),
)


@rule(VersionBumpMissing, level=Level.BREAKING, example=EXAMPLE)
def judge(change: VersionBumpMissing) -> Verdict:
    """Fire when the declared version is below the least that the changes allow."""
    before, after = change.before, change.after
    moved = f"version is still {before}" if before == after else f"version went from {before} to {after}"
    needed = f"the changes since {change.since} need {change.bump}: {change.least} in {change.name}"
    if not change.bump:
        moved, needed = f"version went back from {before} to {after}", f"it was {before} at {change.since}"
    return Verdict(f"{moved}; {needed}", hint=f"Set the version in {change.name} to {change.least}.")
