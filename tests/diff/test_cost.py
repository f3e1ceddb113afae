"""What a catalog costs the model, and when that is a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.diff import GROWTH_PERCENT, Cost, diff, diff_locks
from fusion_contracts.diff.cost import catalog_tokens, tool_tokens
from fusion_contracts.model import Lock, ServerContract, Tool

Build = Callable[..., ServerContract]


def saying(build: Build, *sizes: int, name: str = "server") -> ServerContract:
    """A server with a tool for each size, of so many characters in its description."""
    tools = [{"name": f"t{number}", "description": "x" * size} for number, size in enumerate(sizes)]
    return build({"tools": tools}, name)


def test_two_tokens_for_nine_bytes() -> None:
    # {"name":"t","description":"","inputSchema":{}} is 46 bytes
    assert tool_tokens(Tool("t", {})) == 11
    assert tool_tokens(Tool("t", {}, description="x" * 8)) == 12  # 54 bytes: exactly twelve
    assert tool_tokens(Tool("t", {}, description="x" * 9)) == 13
    assert tool_tokens(Tool("t", {}, description="\u00e9" * 4)) == 12  # bytes of UTF-8, not characters
    assert tool_tokens(Tool("\ud800", {})) == 11


def test_output_schemas_and_annotations_are_not_shown_to_the_model() -> None:
    tool = Tool("t", {}, title="T", output_schema={"type": "object"}, annotations={"readOnlyHint": True})
    assert tool_tokens(tool) == tool_tokens(Tool("t", {}))


def test_a_catalog_is_the_sum_of_its_tools(build: Build) -> None:
    contract = saying(build, 8, 80)
    assert catalog_tokens(contract) == sum(map(tool_tokens, contract.tools.values()))
    assert catalog_tokens(build({"tools": []})) == 0


@pytest.mark.parametrize(
    ("before", "after", "percent", "grew"),
    [
        (2000, 2500, 25, False),  # not more than the share
        (2000, 2501, 25, True),
        (100, 599, 25, False),  # a large share of little
        (100, 600, 25, True),
        (0, 499, 25, False),
        (0, 500, 25, True),
        (2000, 2500, 0, True),
        (2000, 2000, 0, False),
        (2500, 2000, 0, False),
        (100, 1100, 1000, False),
    ],
)
def test_when_it_grew(before: int, after: int, percent: int, grew: bool) -> None:
    assert Cost("s", before, after).grew(percent) is grew


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 500))
def test_what_did_not_grow_by_five_hundred_never_counts(before: int, growth: int, percent: int) -> None:
    cost = Cost("s", before, before + growth)
    assert cost.grew(percent) == (growth >= 500 and growth > before * percent / 100)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (2786, 3402, "2,786 -> 3,402 tokens (+22 %, estimate)"),
        (3402, 2786, "3,402 -> 2,786 tokens (-18 %, estimate)"),
        (270, 22480, "270 -> 22,480 tokens (+8,226 %, estimate)"),
        (0, 500, "0 -> 500 tokens (estimate)"),
        (500, 0, "500 -> 0 tokens (-100 %, estimate)"),
        (90000, 90020, "90,000 -> 90,020 tokens (under 1 %, estimate)"),
    ],
)
def test_for_people(before: int, after: int, told: str) -> None:
    assert str(Cost("s", before, after)) == told


@pytest.mark.parametrize(
    ("before", "after", "tells"),
    [(100, 110, True), (100, 109, False), (110, 100, True), (1000, 1010, True), (1001, 1011, False), (0, 10, True)],
)
def test_a_change_worth_a_line(before: int, after: int, tells: bool) -> None:
    assert Cost("s", before, after).tells is tells


def rules(old: ServerContract, new: ServerContract, **options: Any) -> list[str]:
    return [finding.rule for finding in diff(old, new, **options).findings]


def test_the_share_is_the_project_s(build: Build) -> None:
    old, new = saying(build, 9000), saying(build, 12000)
    assert GROWTH_PERCENT == 25
    assert rules(old, new) == ["catalog-tokens-grew", "description-changed"]
    assert rules(old, new, token_growth_percent=40) == ["description-changed"]


def test_a_small_second_tool_is_no_finding(build: Build) -> None:
    assert rules(saying(build, 10), saying(build, 10, 10)) == ["tool-added"]


def test_a_renamed_server_pair_and_a_new_server(build: Build) -> None:
    old = Lock({"a": saying(build, 10, name="a")})
    new = Lock({"a": saying(build, 10, 4500, name="a"), "b": saying(build, 9000, name="b")})
    report = diff_locks(old, new)
    assert [(one.server, one.rule) for one in report.findings] == [
        ("a", "catalog-tokens-grew"),
        ("a", "tool-added"),
        ("b", "server-added"),  # which says by itself that all of it is new
    ]
    assert [cost.server for cost in report.costs] == ["a", "b"]


def test_costs_are_told_of_servers_whose_tools_changed(build: Build) -> None:
    same, more = saying(build, 10, name="a"), saying(build, 100, name="a")
    assert diff(same, same).costs == ()
    assert diff(same, saying(build, 10, name="a")).costs == ()
    assert diff(same, more).costs == (Cost("a", 16, 36),)
    assert diff_locks(Lock({"a": same, "b": same}), Lock({"a": same})).costs == (Cost("b", 16, 0),)
