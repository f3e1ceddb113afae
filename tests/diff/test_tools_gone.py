"""A tool that is gone: removed, or renamed where that is beyond doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from fusion_contracts.diff import diff
from fusion_contracts.diff.findings import Finding
from fusion_contracts.model import ServerContract, Tool

Found = Callable[[dict[str, Any], dict[str, Any]], list[tuple[str, str, str]]]
URL = {"type": "object", "properties": {"url": {"type": "string"}}}


def tools(*listed: dict[str, Any]) -> dict[str, Any]:
    return {"tools": list(listed)}


def test_a_removed_tool_names_the_nearest_that_is_left(found: Found) -> None:
    old = tools({"name": "emulate_cpu"}, {"name": "open"}, {"name": "close"})
    new = tools({"name": "emulate", "inputSchema": URL}, {"name": "close"})
    assert found(old, new) == [
        ("tool-removed", "BREAKING", "removed; closest: emulate"),
        ("tool-removed", "BREAKING", "removed"),
        ("tool-added", "SAFE", "added"),
    ]


@pytest.mark.parametrize(
    ("gone", "left", "said"),
    [
        ("navigate_page_history", "navigate_page", "removed; closest: navigate_page"),
        ("browser_pdf_save", "browser_type", "removed"),
    ],
)
def test_only_a_near_name_is_named(found: Found, gone: str, left: str, said: str) -> None:
    assert found(tools({"name": gone}, {"name": left}), tools({"name": left})) == [("tool-removed", "BREAKING", said)]


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        ({"name": "read-query"}, {"name": "read_query"}, True),
        ({"name": "readQuery", "description": "A."}, {"name": "read_query", "description": "B."}, True),
        ({"name": "read", "description": "Reads one page."}, {"name": "fetch", "description": "Reads one page."}, True),
        (
            {"name": "read", "description": "Reads one page."},
            {"name": "fetch", "description": "Read one page. Fast."},
            True,
        ),
        (
            {"name": "read", "description": "Reads."},
            {"name": "fetch", "description": "Reads."},
            False,
        ),  # too short to tell
        ({"name": "read"}, {"name": "fetch"}, False),  # nothing said is nothing alike
        ({"name": "read-query", "inputSchema": URL}, {"name": "read_query"}, False),  # no argument is left
    ],
)
def test_a_tool_is_renamed_only_beyond_doubt(
    found: Found, old: dict[str, Any], new: dict[str, Any], *, renamed: bool
) -> None:
    rules = {rule for rule, _, _ in found(tools(old), tools(new))} - {"description-changed"}
    assert rules == ({"tool-renamed"} if renamed else {"tool-removed", "tool-added"})


def test_of_several_only_the_one_that_stands_out_is_the_successor(found: Found) -> None:
    old = tools({"name": "go_back", "description": "Go back to the last page."}, {"name": "list-pages"})
    new = tools(
        {"name": "navigate_back", "description": "Go back to the last page."},
        {"name": "navigate_forth", "description": "Go forth to the next page."},
        {"name": "list_pages"},
    )
    assert found(old, new) == [
        ("tool-renamed", "BREAKING", "renamed to navigate_back"),
        ("tool-renamed", "BREAKING", "renamed to list_pages"),
        ("tool-added", "SAFE", "added"),
    ]


def test_a_renamed_tool_is_one_finding_with_its_successor(build: Callable[..., ServerContract]) -> None:
    report = diff(build(tools({"name": "read-query"})), build(tools({"name": "read_query"})))
    (finding,) = report.findings
    assert (finding.tool, finding.action, finding.successor, finding.message) == (
        "read-query", None, "read_query", "renamed to read_query",
    )  # fmt: skip


def test_where_too_much_came_and_went_nothing_is_a_rename() -> None:
    def server(word: str) -> ServerContract:
        names = {f"{word}_{number}": f"Do thing {number}." for number in range(450)}
        return ServerContract("s", tools={name: Tool(name, {}, description=said) for name, said in names.items()})

    found = diff(server("old"), server("new")).findings
    assert {finding.rule for finding in found} == {"tool-removed", "tool-added"}
    assert len(found) == 900


def renamed(found: Iterable[Finding]) -> dict[str | None, str | None]:
    return {finding.tool: finding.successor for finding in found if finding.rule == "tool-renamed"}


def server_of(prose: dict[str, str]) -> ServerContract:
    return ServerContract("s", tools={name: Tool(name, {}, description=said) for name, said in prose.items()})


def test_all_tools_are_renamed_at_once_however_much_their_prose_is_alike() -> None:
    prose = {number: f"Read what the store holds of kind {number}. " * 8 for number in range(140)}
    old = server_of({f"old_{number}": said for number, said in prose.items()})
    new = server_of({f"new_{number}": f"{said} Fast." for number, said in prose.items()})
    assert renamed(diff(old, new).findings) == {f"old_{number}": f"new_{number}" for number in prose}


def test_where_too_many_texts_are_nearly_the_same_only_what_was_kept_tells_a_rename() -> None:
    old = server_of({f"old_{n}": f"Read what the store {n} holds of its kind. " * 8 for n in range(140)} | {"a_b": "x"})
    new = server_of({f"new_{n}": f"Reads what a store {n} has of the kind. " * 8 for n in range(140)} | {"aB": "y"})
    assert renamed(diff(old, new).findings) == {"a_b": "aB"}


def arguments(**prose: str) -> dict[str, Any]:
    properties = {name: {"type": "boolean", "description": said} for name, said in prose.items()}
    return tools({"name": "crawl", "inputSchema": {"type": "object", "properties": properties}})


@pytest.mark.parametrize(
    ("stayed", "rules"),
    [
        ({}, {"property-renamed"}),
        (
            {"allow_outward_links": "Allow crawling of links to other hosts"},
            {"property-removed", "optional-property-added"},
        ),
        ({"limit": "Allow crawling of links to other hosts"}, {"property-renamed"}),  # its name is no nearer
    ],
)
def test_a_phrase_that_an_argument_shares_with_one_that_stayed_tells_no_rename(
    found: Found, stayed: dict[str, str], rules: set[str]
) -> None:
    old = arguments(allow_backward_links="Allow crawling of links to earlier pages", **stayed)
    new = arguments(allow_subdomains="Allow crawling of links to subdomains", **stayed)
    assert {rule for rule, _, _ in found(old, new)} == rules
