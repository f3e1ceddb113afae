"""How numbers, times and names of a usability report are written; the same in every format for people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fusion_contracts.report.counts import count
from fusion_contracts.report.usability.model import Action, Healing, Loops, Period, Report

__all__ = ["DASH", "SAME", "Facts", "change", "facts", "headline", "label_of", "moment", "percent", "scope", "share"]

DASH = "-"
"""What stands where there is nothing to count."""

SAME = "same"
"""What stands where nothing moved."""

Facts = tuple[tuple[str, str, str], ...]
"""Rows of a label, a figure, and what the figure means."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def percent(rate: float | None) -> str:
    """A share in percent, with one decimal; a dash for none."""
    return DASH if rate is None else f"{rate * 100:.1f} %"


def share(part: int, whole: int, of: str) -> str:
    """`12 of 400 calls`."""
    return f"{part:,} of {count(whole, of)}"


def moment(micros: int) -> str:
    """A time in UTC, to the minute."""
    try:
        return f"{_EPOCH + timedelta(microseconds=micros):%Y-%m-%d %H:%M}"
    except OverflowError:
        return "a time that is none"


def label_of(period: Period) -> str:
    """What a period covers: the times of its calls, runs and calls."""
    if period.first_us is None or period.last_us is None:
        return "no calls"
    total = period.total
    times = f"{moment(period.first_us)} to {moment(period.last_us)} UTC"
    return f"{times}: {count(period.runs, 'run')}, {count(total.calls + total.refused, 'call')}"


def scope(report: Report) -> str:
    """What the report is about. Not escaped."""
    servers = report.servers
    actions = {(one.server, one.action) for period in report.periods for one in period.actions}
    where = f" of {servers[0] or 'a server without a name'}" if len(servers) == 1 else ""
    where = where or (f" of {count(len(servers), 'server')}" if servers else "")
    return f"{count(len(actions), 'action')}{where}"


def headline(total: Action) -> str:
    """The whole in one sentence."""
    if not total.calls and not total.refused:
        return "No calls."
    if not total.calls:
        return "Every call was refused: a guard answered."
    if not total.errors:
        return "No call failed."
    healed = percent(total.healing.rate)
    return f"{percent(total.error_rate)} of calls failed. After {healed} of these errors the next call worked."


def facts(total: Action) -> Facts:
    """The figures of all actions together: what, how much, of what."""
    healed, stopped, left = total.of("healed"), total.of("stopped"), total.of("open")
    return (
        ("errors", percent(total.error_rate), share(total.errors, total.calls, "call")),
        ("healed in one turn", percent(total.healing.rate), _healed(total.healing)),
        ("healed, told of changes", percent(total.told.rate), _healed(total.told)),
        ("healed, told of none", percent(total.untold.rate), _healed(total.untold)),
        ("retry loops stopped", f"{stopped.number:,}", _cost(stopped)),
        ("calls refused", f"{total.refused:,}", "answered by the guard, without running the tool"),
        ("loops healed", f"{healed.number:,}", _cost(healed)),
        ("loops left open", f"{left.number:,}", _cost(left)),
        ("partial results", f"{total.partial:,}", "successes that say what is missing"),
        ("empty results", f"{total.empty:,}", "nothing found, which is complete"),
    )


def _healed(healing: Healing) -> str:
    return f"{share(healing.healed, healing.errors, 'error')}" if healing.errors else "no errors"


def _cost(loops: Loops) -> str:
    """What the loops cost a model, from the first error to their end, on average."""
    if loops.calls_each is None:
        return ""
    calls = f"on average {loops.calls_each:.1f} model calls"
    if loops.tokens_each is None:
        return calls
    known = "" if loops.counted == loops.number else f" (known of {loops.counted:,})"
    return f"{calls} and {loops.tokens_each:,.0f} tokens{known}"


def change(before: float | None, after: float | None) -> str:
    """How a share moved, in percentage points; "" where one is not there."""
    if before is None or after is None:
        return ""
    points = (after - before) * 100
    return SAME if abs(points) < 0.05 else f"{points:+.1f} points"  # noqa: PLR2004 - what rounds to nothing
