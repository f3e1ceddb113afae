"""The usability page in Chromium: it fetches nothing, fits a phone, and prints; the numbers stand beside the charts."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.report.usability import render
from fusion_contracts.report.usability.model import Action, Healing, Loops, Period, Report, Span

pytestmark = pytest.mark.browser

NAME = "a_rather_long_name_of_an_action_that_does_not_fit_on_a_phone.with_a_value"
FIRST, HOUR = 1_793_000_000_000_000, 3_600_000_000
ACTION = Action("desk", NAME, 400, 80, codes={"NOT_FOUND": Healing(80, 49)}, fields={NAME: 80}, told=Healing(80, 49),
                loops={"healed": Loops(49, 61, 40, 12_345)})  # fmt: skip
SPANS = (Span(FIRST, 300, 80), Span(FIRST + HOUR, 100, 0))
PAGE = render("html", Report("log", (Period("", None, None, FIRST, FIRST + HOUR, 9, (ACTION,), SPANS, HOUR),)))


def test_bars_are_as_tall_as_their_numbers(open_page: Any) -> None:
    page = open_page(PAGE)
    heights = page.evaluate("[...document.querySelectorAll('.timeline rect')].map((r) => r.getBBox().height)")
    worked, failed, more, none = heights
    assert failed / (worked + failed) == pytest.approx(80 / 300, rel=0.01)
    assert more / (worked + failed) == pytest.approx(1 / 3, rel=0.01)
    assert none == 0
    said = page.get_by_role("img").evaluate("(one) => one.querySelector('title').textContent")
    assert said == "From 2026-10-26 07:33 to 2026-10-26 08:33 UTC. Most errors: 80 from 2026-10-26 07:33."


def test_the_page_is_no_wider_than_a_phone(open_page: Any) -> None:
    page = open_page(PAGE, viewport={"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_paper_shows_the_numbers(open_page: Any) -> None:
    page = open_page(PAGE)
    page.emulate_media(media="print")
    assert page.get_by_role("cell", name="400", exact=True).first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
