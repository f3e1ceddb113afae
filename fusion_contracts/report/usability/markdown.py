"""The usability report in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from fusion_contracts.report.inline import markdown, markdown_code
from fusion_contracts.report.usability.model import Report
from fusion_contracts.report.usability.tables import Table, tables
from fusion_contracts.report.usability.words import facts, headline, label_of, scope

__all__ = ["render"]


def render(report: Report) -> str:
    """Return the report, ending in a newline."""
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> Iterator[str]:
    yield f"## Usability of {markdown(scope(report))}"
    yield f"Log: {markdown_code(report.log)}"
    if report.compares:
        yield "\n".join(f"- {_label(period.label)}: {label_of(period)}" for period in report.periods)
    else:
        (period,) = report.periods
        label = f"{_label(period.label)}: " if period.label else ""
        yield f"{label}{label_of(period)}. {headline(period.total)}"
    yield from (f"Note: {markdown(note)}." for note in report.notes)
    if not report.compares and report.periods[0].actions:
        columns = ("what", "how much", "of what")
        yield _table(Table("", columns, facts(report.periods[0].total), names=frozenset()))
    for table in tables(report):
        yield f"### {table.heading}"
        yield _table(table)
        if table.note:
            yield table.note


def _label(label: str) -> str:
    return markdown_code(label) if label else ""


def _table(table: Table) -> str:
    head = [markdown(column) for column in table.columns]
    line = ["---" if index < table.texts else "---:" for index in range(len(head))]
    rows = [
        [markdown_code(cell) if index in table.names else cell for index, cell in enumerate(row)] for row in table.rows
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, line, *rows))
