"""The answers to the queries, as the numbers of a usability report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from fusion_contracts.loop.usage import queries
from fusion_contracts.loop.usage.engines import Engine
from fusion_contracts.loop.usage.queries import Filter
from fusion_contracts.report.usability.model import ENDINGS, Action, Ending, Healing, Loops, Period, Span

__all__ = ["count", "servers"]

Row: TypeAlias = Mapping[str, Any]

_MINUTE = 60 * 1_000_000
_HOUR, _DAY = 60 * _MINUTE, 24 * 60 * _MINUTE
_STEPS = (_MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 6 * _HOUR, _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY)
_MOST_SPANS = 60  # more bars than that nobody tells apart
_NO_CODE = "UNKNOWN"


def servers(engine: Engine) -> tuple[str, ...]:
    """The names of the servers in a log, sorted."""
    return tuple(sorted(row["server"] for row in engine.rows(queries.names())))


def count(engine: Engine, chosen: Filter, label: str) -> Period:
    """The numbers of the calls that count."""
    (total,) = engine.rows(queries.totals(chosen))
    if not total["entries"]:
        return Period(label, chosen.since, chosen.until)
    first, last = total["first_us"], total["last_us"]
    step = next((step for step in _STEPS if (last - first) // step < _MOST_SPANS), _STEPS[-1])
    failures = engine.rows(queries.failures(chosen))
    spans = (Span(*(row[key] for key in _SPAN)) for row in engine.rows(queries.times(chosen, step)))
    return Period(
        label,
        chosen.since,
        chosen.until,
        first,
        last,
        total["runs"],
        tuple(_actions(engine.rows(queries.actions(chosen)), failures)),
        tuple(sorted(spans, key=lambda span: span.start_us)),
        step,
    )


_SPAN = ("start_us", "calls", "errors")


def _actions(counted: Sequence[Row], failures: Iterable[Row]) -> list[Action]:
    """The actions, those with most errors first."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in failures:
        rows.setdefault((row["server"], row["action"]), []).append(row)
    found = [_action(row, rows.get((row["server"], row["action"]), [])) for row in counted]
    return sorted(found, key=lambda one: (-one.errors, -one.refused, one.server, one.action))


def _action(counted: Row, failures: Sequence[Row]) -> Action:
    errors = [row for row in failures if row["kind"] == "error"]
    codes: dict[str, Healing] = {}
    fields: Counter[str] = Counter()
    for row in errors:
        code = row["code"] or _NO_CODE
        codes[code] = codes.get(code, Healing()) + _healing([row])
        for name in _names(row["fields"]):
            fields[name] += row["number"]
    return Action(
        counted["server"],
        counted["action"],
        counted["calls"],
        counted["errors"],
        counted["partial_results"],
        counted["empty_results"],
        counted["refused"],
        dict(sorted(codes.items(), key=lambda item: (-item[1].errors, item[0]))),
        dict(sorted(fields.items(), key=lambda item: (-item[1], item[0]))),
        _healing(row for row in errors if row["told"]),
        _healing(row for row in errors if not row["told"]),
        {ending: loops for ending in ENDINGS if (loops := _loops(failures, ending)).number},
    )


def _healing(rows: Iterable[Row]) -> Healing:
    return sum((Healing(row["number"], row["healed"]) for row in rows), Healing())


def _loops(rows: Iterable[Row], ending: Ending) -> Loops:
    keys = ("number", "model_calls", "counted", "tokens")
    return sum((Loops(*(row[key] for key in keys)) for row in rows if row["kind"] == ending), Loops())


def _names(text: str | None) -> list[str]:
    """The fields of an error, which stand as JSON in a log that anybody may have written."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    return sorted({name for name in found if isinstance(name, str)}) if isinstance(found, list) else []
