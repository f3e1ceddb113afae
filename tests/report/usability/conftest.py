"""Shared by the tests of how a usability report is written: a small one, one that compares, one that is hostile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fusion_contracts.report.usability.model import Action, Healing, Loops, Period, Report, Span

FIRST = 1_793_000_000_000_000
HOUR = 3_600_000_000
CLOSE = Action(
    "desk", "close_ticket", 400, 80, 0, 0, 7,
    {"VALIDATION_ERROR": Healing(60, 45), "NOT_FOUND": Healing(20, 4)}, {"ticket_id": 55, "note": 5},
    Healing(50, 44), Healing(30, 5), {"healed": Loops(49, 61, 40, 12_345), "stopped": Loops(4, 14)},
)  # fmt: skip
SEARCH = Action("desk", "search", 600, 0, 12, 90)
WHOLE = Period("", None, None, FIRST, FIRST + 2 * HOUR, 40, (CLOSE, SEARCH), (
    Span(FIRST, 700, 80), Span(FIRST + 2 * HOUR, 300, 0),
), HOUR)  # fmt: skip
BAD = "\x1b[31m|`<script>&\"'\u202e@everyone ##[error]\n::x::" + "y" * 150


@pytest.fixture
def report() -> Report:
    return Report(".fusion/log.sqlite", (WHOLE,), ("3 lines are no entries, and were passed over",))


@pytest.fixture
def comparison() -> Report:
    better = replace(CLOSE, errors=40, told=Healing(40, 36), untold=Healing(), codes={"NOT_FOUND": Healing(40, 36)})
    return Report("log.jsonl", (replace(WHOLE, label="2.0"), replace(WHOLE, label="2.1", actions=(better,))))


@pytest.fixture
def hostile() -> Report:
    bad = replace(CLOSE, server=BAD, action=BAD, codes={BAD: Healing(80, 49)}, fields={BAD: 80})
    return Report(BAD, (replace(WHOLE, label=BAD, actions=(bad, SEARCH)),), (BAD,))


@pytest.fixture
def nothing() -> Report:
    return Report("log.sqlite", (Period(""),))
