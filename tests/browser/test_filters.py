"""Choosing among the findings, in Chromium: exactly those that match are there to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ALL = 10


def matches(page: Page) -> str:
    return page.locator("#matches").inner_text()


def test_all_findings_are_there_at_first(open_page: Any, html: str, shown: Any, expected: Any) -> None:
    page = open_page(html)
    assert len(shown(page)) == ALL
    assert shown(page) == expected()
    assert matches(page) == "10 findings"
    assert page.get_by_role("button", name="Show all").is_disabled()


@pytest.mark.parametrize("level", ["BREAKING", "RISKY", "SAFE", "WAIVED"])
def test_by_level(open_page: Any, html: str, shown: Any, expected: Any, level: str) -> None:
    page = open_page(html)
    for box in page.get_by_role("checkbox").all():
        if box.get_attribute("value") != level:
            box.uncheck()
    assert shown(page) == [one for one in expected() if one[0] == level]
    assert matches(page) == f"{len(shown(page))} of 10 findings"
    assert page.url.endswith(f"#level={level.lower()}")


@pytest.mark.parametrize("side", ["input", "output", "tool", "server"])
def test_by_side(open_page: Any, html: str, shown: Any, expected: Any, side: str) -> None:
    page = open_page(html)
    page.get_by_role("combobox", name="Side").select_option(f"={side}")
    assert shown(page) == expected(lambda one: one.side == side)


@pytest.mark.parametrize("tool", ["list", "search", ""])
def test_by_tool(open_page: Any, html: str, shown: Any, expected: Any, tool: str) -> None:
    page = open_page(html)
    page.get_by_role("combobox", name="Tool").select_option(f"={tool}")
    assert shown(page) == expected(lambda one: (one.tool or "") == tool)
    for group in page.locator(".group:visible").all():
        assert group.locator(".finding dl:visible").count() > 0, "what is left of a group is unfolded"


def test_by_rule(open_page: Any, html: str, shown: Any, expected: Any) -> None:
    page = open_page(html)
    page.get_by_role("combobox", name="Rule").select_option("=enum-value-removed")
    assert page.locator("h3:visible").all_inner_texts() == ["BREAKING 2 of 5"]
    assert shown(page) == expected(lambda one: one.rule == "enum-value-removed")


def test_by_words_in_any_order_and_case(open_page: Any, html: str, shown: Any, expected: Any) -> None:
    page = open_page(html)
    page.get_by_role("searchbox").fill("PENDING search")
    assert shown(page) == expected(lambda one: one.rule == "enum-value-removed" and one.tool == "search")


def test_filters_narrow_each_other_and_are_shared_by_address(
    open_page: Any, html: str, shown: Any, expected: Any
) -> None:
    page = open_page(html)
    page.get_by_role("combobox", name="Side").select_option("=input")
    page.get_by_role("combobox", name="Tool").select_option("=search")
    page.get_by_role("checkbox", name="safe").uncheck()
    page.get_by_role("searchbox").fill("enum")
    wanted = expected(lambda one: one.rule == "enum-value-removed" and one.tool == "search")
    assert shown(page) == wanted
    hash_ = page.url[page.url.index("#") :]
    assert hash_ == "#level=breaking+risky+waived&side=input&tool=search&text=enum"

    other = open_page(html, hash=hash_)
    assert shown(other) == wanted
    assert not other.get_by_role("checkbox", name="safe").is_checked()
    assert other.get_by_role("searchbox").input_value() == "enum"
    other.get_by_role("button", name="Show all").click()
    assert shown(other) == expected()
    assert "#" not in other.url


def test_no_match_is_said_and_there_is_a_way_back(open_page: Any, html: str, shown: Any, expected: Any) -> None:
    page = open_page(html)
    page.get_by_role("searchbox").fill("nothing is called so")
    assert shown(page) == []
    assert page.get_by_text("No finding matches.").is_visible()
    assert matches(page) == "0 of 10 findings"
    assert page.locator("h2:visible", has_text="desk").count() == 0
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == expected()
    assert not page.get_by_text("No finding matches.").is_visible()


@pytest.mark.parametrize("hash_", ["#tool=gone-since", "#level=&side=x&rule=y", "#=", "#text=%E0%A4%A", "#%", "#a.b[c"])
def test_an_address_of_another_report_hides_nothing_it_does_not_name(
    open_page: Any, html: str, shown: Any, expected: Any, hash_: str
) -> None:
    page = open_page(html, hash=hash_)
    assert shown(page) == expected() or hash_.startswith(("#level", "#text"))
    page.evaluate("location.hash = '#side=output'")
    page.get_by_text("1 of 10 findings").wait_for()
    assert shown(page) == expected(lambda one: one.side == "output")
