"""What the tests of the report for a terminal share: findings, and the report of some."""

from __future__ import annotations

import re
from typing import Any

from fusion_contracts.diff import Cost, Finding, Level, Report, Side
from fusion_contracts.report.context import Context
from fusion_contracts.report.formats.text import render, why

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")


def finding(rule: str, level: Level, tool: str | None, message: str, pointer: str = "", **more: Any) -> Finding:
    fields = {"server": "chrome", "action": tool, "side": "input", "hint": "Keep the old name.", **more}
    return Finding(rule=rule, level=level, tool=tool, message=message, pointer=pointer, **fields)


def broken(tool: str, message: str, **more: Any) -> Finding:
    return finding("property-renamed", Level.BREAKING, tool, message, "/inputSchema/properties/pageIdx", **more)


def text_of(*findings: Finding, width: int = 90, costs: tuple[Cost, ...] = (), **options: Any) -> str:
    """The report without its last line, which is tested by itself."""
    context = Context(width=width, **options)
    report = Report(OLD, NEW, findings, costs=costs)
    return render(report, context).removesuffix(why(report, context))


# The last digits of a row are the group's id: a hash that these tests do not depend on.
ID = re.compile(r"\b[0-9a-f]{7}$", re.MULTILINE)


def shown(*findings: Finding, width: int = 90, **options: Any) -> str:
    return ID.sub("#######", text_of(*findings, width=width, **options))
