"""The report as one HTML page that needs nothing else: no request, no script for reading it, nothing stored elsewhere.

All findings are in the markup. The script chooses among them, copies and unfolds; the style is for light and dark, wide
and narrow, and paper. A policy in the page lets exactly this style and this script in, by their digests, so that even a
name that got through the escape function would run nothing. The text is ASCII: no encoding can change what it says.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from fusion_contracts.report.grouping import Section, sections
from fusion_contracts.report.page import rules
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
    style, script = _part("page.css"), _part("page.js")
    head = _head(title(report, servers, context), style, script)
    body = tag("body", *_body(report, servers, context), tag("script", script))
    page = f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _part(name: str) -> Markup:
    return Markup(files(rules.__package__).joinpath(name).read_text(encoding="utf-8"))


def _head(name: str, style: Markup, script: Markup) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content="fusion-contracts"),
        tag("link", rel="icon", href="data:,"),  # else a browser asks the server of the page for one
        tag("title", name),
        tag("style", style),
    )


def _policy(style: str, script: str) -> str:
    """Nothing but this style and this script, and no text may become markup after the page was read."""
    parts = {
        "default-src": "'none'",
        "style-src": _digest(style),
        "script-src": _digest(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


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
