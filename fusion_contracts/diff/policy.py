"""What a project decides about findings: other levels for some rules, and which level ends a run with an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from fusion_contracts.canonical import printable
from fusion_contracts.diff.findings import Finding, Level, Report
from fusion_contracts.diff.rule import rule_ids
from fusion_contracts.errors import FusionError

__all__ = ["FailOn", "apply_levels", "exit_code", "failing", "read_levels"]

FailOn: TypeAlias = Literal["breaking", "risky", "any", "never"]
_LOWEST: dict[FailOn, Level | None] = {
    "breaking": Level.BREAKING,
    "risky": Level.RISKY,
    "any": Level.SAFE,
    "never": None,
}


def read_levels(levels: Mapping[str, str | Level]) -> dict[str, Level]:
    """Levels by rule id, from `breaking`, `risky`, `safe` in any case.

    Raises FusionError on an unknown rule or level.
    """
    return {identifier: _level(identifier, level) for identifier, level in levels.items()}


def _level(identifier: str, level: str | Level) -> Level:
    if identifier not in rule_ids():
        raise FusionError(_unknown(identifier), "take the id from a finding's `rule`", stage="usage")
    if isinstance(level, Level):
        return level
    try:
        return Level[level.upper()]
    except (KeyError, AttributeError):
        known = ", ".join(item.name.lower() for item in Level)
        shown = printable(str(level))
        raise FusionError(
            f'"{shown}" is no level, for the rule {identifier}', f"write one of {known}", stage="usage"
        ) from None


def _unknown(identifier: str) -> str:
    from difflib import get_close_matches  # only on the way out

    near = get_close_matches(identifier, rule_ids(), n=1)
    return f'there is no rule "{printable(identifier)}"' + (f"; the nearest is {near[0]}" if near else "")


def apply_levels(findings: Iterable[Finding], levels: Mapping[str, Level]) -> list[Finding]:
    """The findings at the levels that the project gave to their rules."""
    return [replace(finding, level=levels[finding.rule]) if finding.rule in levels else finding for finding in findings]


def failing(report: Report, fail_on: FailOn = "breaking") -> tuple[Finding, ...]:
    """The findings at or above `fail_on` that are not waived."""
    if fail_on not in get_args(FailOn):
        known = ", ".join(get_args(FailOn))
        raise FusionError(f'"{printable(fail_on)}" is nothing to fail on', f"write one of {known}", stage="usage")
    lowest = _LOWEST[fail_on]
    if lowest is None:
        return ()
    return tuple(finding for finding in report.findings if finding.level >= lowest and not finding.waived)


def exit_code(report: Report, fail_on: FailOn = "breaking", *, stale: bool = False) -> int:
    """1 for findings that fail, or a stale or edited lock; else 2 where something could not be checked; else 0."""
    if stale or failing(report, fail_on):
        return 1
    return 2 if report.errors else 0
