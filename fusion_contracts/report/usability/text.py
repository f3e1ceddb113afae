"""The usability report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fusion_contracts.canonical import printable
from fusion_contracts.report.layout import MINIMUM, cut, paint, width_of, wrap
from fusion_contracts.report.usability.model import Report
from fusion_contracts.report.usability.tables import Table, tables
from fusion_contracts.report.usability.words import Facts, facts, headline, label_of, scope

__all__ = ["render"]

_GAP = 2
_LABEL = 23
_FIGURE = 9
_LEAST_NAME = 12  # columns that a name keeps on a narrow terminal


def render(report: Report, *, width: int = 100, colour: bool = False) -> str:
    """Return the report, ending in a newline."""
    width = max(width, MINIMUM)
    return "".join(f"{line}\n" for line in _lines(report, width, colour=colour))


def _lines(report: Report, width: int, *, colour: bool) -> Iterator[str]:
    yield paint(f"Usability of {printable(scope(report))}", "bold", colour=colour) + f"  ({printable(report.log)})"
    for period in report.periods:
        label = f"{printable(period.label)}: " if period.label else ""
        yield f"{label}{label_of(period)}"
    yield from (f"note: {printable(note)}" for note in report.notes)
    if not report.compares:
        total = report.periods[0].total
        yield headline(total)
        if report.periods[0].actions:
            yield ""
            yield from _facts(facts(total), width)
    for table in tables(report):
        yield ""
        yield paint(table.heading.upper(), "bold", colour=colour)
        yield from _table(table, width, colour=colour)


def _facts(rows: Facts, width: int) -> Iterator[str]:
    indent = _LABEL + _FIGURE + 5
    for label, figure, meaning in rows:
        first, *more = wrap(meaning, width - indent)
        yield f"  {label:<{_LABEL}}{figure:>{_FIGURE}}   {first}".rstrip()
        yield from (f"{'':{indent}}{line}" for line in more)


def _table(table: Table, width: int, *, colour: bool) -> Iterator[str]:
    cells = [tuple(map(printable, row)) for row in (table.columns, *table.rows)]
    widths = [max(width_of(row[index]) for row in cells) for index in range(len(table.columns))]
    _narrow(widths, width, table.texts)
    for number, row in enumerate(cells):
        line = _row(row, widths, table.texts)
        yield line if number else paint(line, "dim", colour=colour)
    if table.note:
        yield f"  {table.note}"


def _narrow(widths: list[int], width: int, texts: int) -> None:
    """Take what is too much from the widest of the texts, until all fit or none can give."""
    room = width - _GAP * len(widths)
    while sum(widths) > room:
        widest = max(range(texts), key=lambda index: widths[index])
        if widths[widest] <= _LEAST_NAME:
            return
        widths[widest] -= 1


def _row(row: Sequence[str], widths: Sequence[int], texts: int) -> str:
    parts = []
    for index, (cell, room) in enumerate(zip(row, widths, strict=True)):
        shown = cut(cell, room)
        gap = " " * (room - width_of(shown))
        parts.append(shown + gap if index < texts else gap + shown)
    return ("  " + "  ".join(parts)).rstrip()
