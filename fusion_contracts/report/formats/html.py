"""The report as one HTML page that needs nothing else: no request, no script for reading it, nothing stored elsewhere.

All findings are in the markup. The script chooses among them, copies and unfolds; the style is for light and dark, wide
and narrow, and paper. A policy in the page lets exactly this style and this script in, by their digests, so that even a
name that got through the escape function would run nothing. The text is ASCII: no encoding can change what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fusion_contracts.report.grouping import Section, sections
from fusion_contracts.report.page import rules
from fusion_contracts.report.page.document import document, part
from fusion_contracts.report.page.filters import filters, keys
from fusion_contracts.report.page.findings import Findings
from fusion_contracts.report.page.markup import Markup, tag
from fusion_contracts.report.page.room import Room
from fusion_contracts.report.page.schemas import Schemas
from fusion_contracts.report.page.summary import summary, title

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.report.context import Context

__all__ = ["render"]


def render(report: Report, context: Context) -> str:
    """Return the page, ASCII alone, ending in a newline."""
    servers = sections(report)
    body = _body(report, servers, context)
    return document(title(report, servers, context), body, style=part("page.css"), script=part("page.js"))


def _body(report: Report, servers: Sequence[Section], context: Context) -> Sequence[Markup]:
    renamed = {(one.lockfile, one.server, one.tool): one.successor for one in report.findings if one.side == "tool"}
    schemas = Schemas(context, Room(), {place: name for place, name in renamed.items() if name is not None})
    findings = Findings(report, schemas)
    shown = [findings.section(one) for one in servers]
    said = tag("p", "No finding matches." if shown else "There are no findings.", class_="nothing", hidden=bool(shown))
    main = tag("main", said, *shown, id="findings", tabindex="-1")
    return [
        tag("a", "Skip to the findings", href="#findings", class_="skip"),
        summary(report, servers, context),
        filters(report.findings) if report.findings else Markup(""),
        main,
        tag("aside", schemas.render(), rules.render(one.rule for one in report.findings), aria_label="Reference")
        if report.findings else Markup(""),
        keys() if report.findings else Markup(""),
        tag("p", id="said", class_="unseen", role="status"),
    ]  # fmt: skip
