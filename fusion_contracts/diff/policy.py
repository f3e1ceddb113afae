"""What a project decides about findings: other levels for some rules, and which level ends a run with an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias, TypeVar, get_args

from fusion_contracts.canonical import printable
from fusion_contracts.diff.cost import GROWTH_PERCENT
from fusion_contracts.diff.findings import Finding, Level, Report
from fusion_contracts.diff.rule import rule_ids
from fusion_contracts.errors import FusionError
from fusion_contracts.record import record

__all__ = [
    "FailOn", "Policy", "apply_levels", "exit_code", "failing", "lowest", "lowest_limit", "read_levels", "require_rule",
]  # fmt: skip

FailOn: TypeAlias = Literal["breaking", "risky", "any", "never"]
Limit = TypeVar("Limit", bound=str)
_LOWEST: dict[FailOn, Level | None] = {
    "breaking": Level.BREAKING,
    "risky": Level.RISKY,
    "any": Level.SAFE,
    "never": None,
}


@record(kw_only=True)
class Policy:
    """How the changes of one server are judged: what a call may hold, levels by rule, and the rest as for `diff`."""

    world: str = "declared"
    levels: Mapping[str, str | Level] = field(default_factory=dict)
    token_growth_percent: int = GROWTH_PERCENT

    def apply(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings at the levels that it gives to their rules. Raises FusionError on an unknown rule or level."""
        return apply_levels(findings, read_levels(self.levels))


def read_levels(levels: Mapping[str, str | Level]) -> dict[str, Level]:
    """Levels by rule id, from `breaking`, `risky`, `safe` in any case.

    Raises FusionError on an unknown rule or level.
    """
    return {identifier: _level(identifier, level) for identifier, level in levels.items()}


def require_rule(identifier: str) -> None:
    """Raise FusionError where there is no rule of that id, naming the nearest."""
    if identifier not in rule_ids():
        raise FusionError(_unknown(identifier), "fusion explain lists them all", stage="usage")


def _level(identifier: str, level: str | Level) -> Level:
    require_rule(identifier)
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

    near = get_close_matches(identifier, rule_ids())
    return f'there is no rule "{printable(identifier)}"' + (f"; the nearest: {', '.join(near)}" if near else "")


def apply_levels(findings: Iterable[Finding], levels: Mapping[str, Level]) -> list[Finding]:
    """The findings at the levels that the project gave to their rules."""
    return [replace(finding, level=levels[finding.rule]) if finding.rule in levels else finding for finding in findings]


def failing(report: Report, fail_on: FailOn | Callable[[str], FailOn] = "breaking") -> tuple[Finding, ...]:
    """The findings at or above `fail_on` that are not waived; it may be asked by a server's NAME."""
    limit = _limits(fail_on)
    return tuple(one for one in report.findings if not one.waived and _counts(one, limit(one.server)))


def lowest_limit(findings: Iterable[Finding], fail_on: FailOn | Callable[[str], FailOn]) -> FailOn | None:
    """The lowest of the levels from which findings fail a run, for the words in which it ends; None for no findings."""
    limit = _limits(fail_on)
    limits = {limit(one.server) for one in findings}
    return lowest(limits) if limits else None


def lowest(limits: Iterable[Limit]) -> Limit:
    """The one of these words that lets the least pass; there is at least one."""
    return max(limits, key=_STRICTNESS.index)


_STRICTNESS = ("never", "breaking", "risky", "any")


def _limits(fail_on: FailOn | Callable[[str], FailOn]) -> Callable[[str], FailOn]:
    if callable(fail_on):
        return fail_on
    if fail_on not in get_args(FailOn):
        known = ", ".join(get_args(FailOn))
        raise FusionError(f'"{printable(fail_on)}" is nothing to fail on', f"write one of {known}", stage="usage")
    return lambda _server: fail_on


def _counts(finding: Finding, fail_on: FailOn) -> bool:
    lowest = _LOWEST[fail_on]
    return lowest is not None and finding.level >= lowest


def exit_code(
    report: Report, fail_on: FailOn | Callable[[str], FailOn] = "breaking", *, stale: bool = False
) -> int:
    """1 for findings that fail, or a stale or edited lock; else 2 where something could not be checked; else 0."""
    if stale or failing(report, fail_on):
        return 1
    return 2 if report.errors else 0
