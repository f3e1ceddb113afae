"""The tables of a usability report, for every format that has tables. Cells are plain text, not escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusion_contracts.record import record
from fusion_contracts.report.usability.model import Action, Period, Report
from fusion_contracts.report.usability.words import DASH, SAME, change, percent

__all__ = ["Table", "tables"]

_FIELDS = 20  # rows of the table of fields


@record
class Table:
    """A table: its heading, the columns' names, rows. The first `texts` columns are texts, the others numbers.

    `names`: the columns that hold names which a server or model chose.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    names: frozenset[int] = frozenset({0})
    note: str = ""


def tables(report: Report) -> list[Table]:
    """The tables that have rows, in order."""
    found = list(_compared(report) if report.compares else _of_period(report, report.periods[0]))
    return [table for table in found if table.rows]


def _name(report: Report, action: Action) -> str:
    """An action, after its server where there are several."""
    return f"{action.server}/{action.action}" if len(report.servers) > 1 else action.action


# --- one period ------------------------------------------------------------------------------------------------------


def _of_period(report: Report, period: Period) -> Iterator[Table]:
    rows = [_action(report, action) for action in period.actions]
    columns = ("action", "calls", "errors", "rate", "healed next", "stopped", "refused")
    yield Table("Actions", columns, tuple(rows))
    coded = [
        (_name(report, action), code, f"{healing.errors:,}", percent(healing.rate))
        for action in period.actions
        for code, healing in action.codes.items()
    ]
    yield Table("Error codes", ("action", "code", "errors", "healed next"), tuple(coded), 2, frozenset({0, 1}))
    yield _fields(report, period)


def _action(report: Report, action: Action) -> tuple[str, ...]:
    return (
        _name(report, action),
        f"{action.calls:,}",
        f"{action.errors:,}",
        percent(action.error_rate),
        percent(action.healing.rate),
        f"{action.of('stopped').number:,}",
        f"{action.refused:,}",
    )


def _fields(report: Report, period: Period) -> Table:
    named = [(action, name, number) for action in period.actions for name, number in action.fields.items()]
    named.sort(key=lambda one: (-one[2], one[0].server, one[0].action, one[1]))
    rows = [
        (_name(report, action), name, f"{number:,}", percent(number / action.errors))
        for action, name, number in named[:_FIELDS]
    ]
    left = len(named) - len(rows)
    note = f"{left:,} more in the JSON report" if left else ""
    columns = ("action", "argument", "errors", "of its errors")
    return Table("Arguments that fail most", columns, tuple(rows), 2, frozenset({0, 1}), note)


# --- two periods -----------------------------------------------------------------------------------------------------


def _compared(report: Report) -> Iterator[Table]:
    old, new = report.periods
    labels = (_label(old.label), _label(new.label))
    yield Table("Together", ("", *labels, "change"), tuple(_together(old.total, new.total)), names=frozenset())
    yield _pairs(report, "Error rate by action", [(one, one.error_rate) for one in old.actions],
                 [(one, one.error_rate) for one in new.actions], labels)  # fmt: skip
    yield _pairs(report, "Healed in one turn by action", [(one, one.healing.rate) for one in old.actions],
                 [(one, one.healing.rate) for one in new.actions], labels)  # fmt: skip
    yield _codes(old.total, new.total, labels)


def _label(label: str) -> str:
    return label or DASH


def _together(old: Action, new: Action) -> Iterator[tuple[str, ...]]:
    shares = {
        "errors": (old.error_rate, new.error_rate),
        "healed in one turn": (old.healing.rate, new.healing.rate),
        "healed, told of changes": (old.told.rate, new.told.rate),
        "healed, told of none": (old.untold.rate, new.untold.rate),
    }
    yield _numbers("calls", old.calls, new.calls)
    for name, (before, after) in shares.items():
        yield name, percent(before), percent(after), change(before, after)
    yield _numbers("retry loops stopped", old.of("stopped").number, new.of("stopped").number)
    yield _numbers("calls refused", old.refused, new.refused)
    means = {
        "model calls to heal": (old.of("healed").calls_each, new.of("healed").calls_each),
        "model calls to stop": (old.of("stopped").calls_each, new.of("stopped").calls_each),
        "tokens to heal": (old.of("healed").tokens_each, new.of("healed").tokens_each),
        "tokens to stop": (old.of("stopped").tokens_each, new.of("stopped").tokens_each),
    }
    for name, (before, after) in means.items():
        yield name, _mean(before), _mean(after), _moved(before, after)


def _numbers(name: str, before: int, after: int) -> tuple[str, ...]:
    return name, f"{before:,}", f"{after:,}", f"{after - before:+,}" if after != before else SAME


def _moved(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return ""
    return f"{after - before:+,.1f}" if f"{before:.1f}" != f"{after:.1f}" else SAME


def _mean(value: float | None) -> str:
    return DASH if value is None else f"{value:,.1f}"


def _pairs(
    report: Report,
    heading: str,
    old: Sequence[tuple[Action, float | None]],
    new: Sequence[tuple[Action, float | None]],
    labels: tuple[str, str],
) -> Table:
    """A share of each action on both sides; what moved most comes first."""
    before = {_name(report, action): rate for action, rate in old}
    after = {_name(report, action): rate for action, rate in new}
    names = [name for name in {**before, **after} if before.get(name) is not None or after.get(name) is not None]

    def moved(name: str) -> tuple[float, str]:
        return -abs((after.get(name) or 0) - (before.get(name) or 0)), name

    rows = tuple(
        (name, percent(before.get(name)), percent(after.get(name)), change(before.get(name), after.get(name)))
        for name in sorted(names, key=moved)
    )
    return Table(heading, ("action", *labels, "change"), rows)


def _codes(old: Action, new: Action, labels: tuple[str, str]) -> Table:
    codes = sorted({**old.codes, **new.codes})
    counted = {
        code: tuple(side.codes[code].errors if code in side.codes else 0 for side in (old, new)) for code in codes
    }
    ranked = sorted(counted.items(), key=lambda one: (-sum(one[1]), one[0]))
    return Table("Error codes", ("code", *labels, "change"), tuple(_numbers(code, *pair) for code, pair in ranked))
