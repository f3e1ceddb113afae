"""The report for machines: the shape of docs/json-report.md, indented, ending in a newline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fusion_contracts.report.escape import json_text

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.model import JsonObject
    from fusion_contracts.report.context import Context

__all__ = ["LANGUAGE", "render"]

LANGUAGE = "json"


def render(report: Report, context: Context) -> str:
    """Return the report as JSON: ASCII alone, so that no terminal and no encoding can change what it says."""
    return json_text(json.dumps(report.to_dict() | _bumps(context), indent=2)) + "\n"


def _bumps(context: Context) -> JsonObject:
    """`bumps`, where `--expect-bump` asked; nobody else meets the key."""
    found = []
    for place, one in context.compared.items():
        where = {} if place is None else {"lockfile": place}
        found += [moved.to_dict() | where for moved in one.moved or ()]
    asked = any(one.moved is not None for one in context.compared.values())
    return {"bumps": found} if asked else {}
