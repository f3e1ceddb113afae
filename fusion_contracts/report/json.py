"""The report for machines: the shape of docs/json-report.md, indented, ending in a newline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.report.context import Context

__all__ = ["render"]


def render(report: Report, context: Context) -> str:  # noqa: ARG001 - what every format takes
    """Return the report as JSON: ASCII alone, so that no terminal and no encoding can change what it says."""
    return json.dumps(report.to_dict(), indent=2) + "\n"
