"""The usability report as one HTML page that needs nothing else: no request, no script.

The charts are drawn in the markup, in the page's colours, and each stands beside the numbers that it shows. Text is
escaped by `page.markup`, the page's policy lets in its own style alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from fusion_contracts.report.page.document import document, part
from fusion_contracts.report.page.markup import Markup, join, tag
from fusion_contracts.report.usability.charts import bar, healing, timeline
from fusion_contracts.report.usability.model import Period, Report
from fusion_contracts.report.usability.tables import Table, tables
from fusion_contracts.report.usability.words import facts, headline, label_of, moment, percent, scope

__all__ = ["render"]

_TILES = ("errors", "healed in one turn", "retry loops stopped", "calls refused")


def render(report: Report) -> str:
    """Return the page, ASCII alone, ending in a newline."""
    style = Markup(part("page.css") + part("usability.css"))
    return document(f"Usability of {scope(report)} - fusion report", _body(report), style=style)


def _body(report: Report) -> Iterator[Markup]:
    yield tag("a", "Skip to the numbers", href="#numbers", class_="skip")
    yield _header(report)
    shown = [period for period in report.periods if period.actions]
    charts = [chart for period in shown for chart in _charts(period)]
    if charts:
        yield tag("div", *charts, class_="charts")
    yield tag("main", *_main(report), id="numbers", tabindex="-1")


def _header(report: Report) -> Markup:
    parts = [
        tag("p", tag("b", "fusion report"), ": ", tag("span", report.log, class_="name"), class_="kicker"),
        tag("h1", f"Usability of {scope(report)}"),
    ]
    for period in report.periods:
        label = join([tag("b", period.label), ": "]) if period.label else ""
        parts.append(tag("p", label, label_of(period), class_="lede"))
    if not report.compares:
        parts += _glance(report.periods[0])
    parts += [tag("p", f"note: {note}", class_="ending") for note in report.notes]
    return tag("header", *parts)


def _glance(period: Period) -> Iterator[Markup]:
    """The whole in one sentence, and the main figures."""
    yield tag("p", headline(period.total), class_="lede")
    figures = {label: figure for label, figure, _ in facts(period.total)}
    tiles = (tag("li", tag("b", figures[label]), " ", tag("span", label), class_="tile") for label in _TILES)
    if period.actions:
        yield tag("ul", *tiles, class_="counts", aria_label="The main figures")


def _charts(period: Period) -> Iterator[Markup]:
    name = f"{period.label}: " if period.label else ""
    rows = [(moment(span.start_us), f"{span.calls:,}", f"{span.errors:,}") for span in period.spans]
    numbers = _table(Table("", ("from, UTC", "calls", "errors"), tuple(rows), names=frozenset()))
    caption = tag("figcaption", f"{name}calls over time, errors at the foot")
    table = tag("details", tag("summary", "As a table"), numbers, class_="more-numbers")
    yield tag("figure", caption, timeline(period), table, class_="panel")
    total = period.total
    if total.healing.errors:
        sides = {"told of changes": total.told, "told of none": total.untold}
        caption = tag("figcaption", f"{name}errors after which the next call worked")
        yield tag("figure", caption, healing(sides), class_="panel")


def _main(report: Report) -> Iterator[Markup]:
    if not report.compares and report.periods[0].actions:
        rows = facts(report.periods[0].total)
        columns = ("what", "how much", "of what")
        yield _section("All actions together", _table(Table("", columns, rows, names=frozenset()), "facts"))
    for table in tables(report):
        note = tag("p", table.note, class_="muted") if table.note else Markup("")
        yield _section(table.heading, _table(table), note)
    if not any(period.actions for period in report.periods):
        yield tag("p", "There are no calls.", class_="nothing")


def _section(heading: str, *children: Markup) -> Markup:
    return tag("section", tag("h2", heading), *children, class_="numbers")


def _table(table: Table, kind: str = "") -> Markup:
    head = tag("tr", *(tag("th", column, scope="col") for column in table.columns))
    rows = [tag("tr", *(_cell(table, index, cell) for index, cell in enumerate(row))) for row in table.rows]
    inner = tag("table", tag("thead", head), tag("tbody", *rows), class_=f"figures texts-{table.texts} {kind}".strip())
    return tag("div", inner, class_="wide", tabindex="0", role="region", aria_label=table.heading or "Numbers")


def _cell(table: Table, index: int, cell: str) -> Markup:
    shown = tag("code", cell) if index in table.names else cell
    if index == 0:
        return tag("th", shown, scope="row")
    share = _share(cell) if index >= table.texts else None
    return tag("td", shown, bar(share) if share is not None else "")


def _share(cell: str) -> float | None:
    """What a cell such as `12.5 %` says, 0 to 1; None where it is no share."""
    number, sign, rest = cell.partition(" %")
    if not sign or rest:
        return None
    found = float(number) / 100
    return found if percent(found) == cell else None
