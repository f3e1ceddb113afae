"""The usability report of tools: what a log says of them, for a terminal, Markdown, JSON and as a page."""

from __future__ import annotations

from importlib import import_module

from fusion_contracts.report.usability.model import FORMATS, Report

__all__ = ["FORMATS", "render"]


def render(form: str, report: Report, *, width: int = 100, colour: bool = False) -> str:
    """The report in one of `FORMATS`, ending in a newline; `width` columns and `colour` are of the text alone."""
    module = import_module(f"fusion_contracts.report.usability.{form}")
    text: str = module.render(report, width=width, colour=colour) if form == "text" else module.render(report)
    return text
