"""Reports: one file a format, each with `render(report, context) -> str`.

A format is the file of its name here and its word in FORMATS; nothing else lists it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.report.context import Context

__all__ = ["FORMATS", "render"]

FORMATS = ("text", "json", "markdown", "sarif", "github", "junit", "html")


def render(form: str, report: Report, context: Context) -> str:
    """Return the report in one of FORMATS, ending in a newline."""
    return str(import_module(f"fusion_contracts.report.{form}").render(report, context))
