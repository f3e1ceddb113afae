"""Hidden text: what counts, what does not, and where it is looked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.diff.prose import hidden_added, hidden_runs

Found = Callable[[dict[str, Any], dict[str, Any]], list[tuple[str, str, str]]]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("plain", []),
        ("two\nlines\r\n\tindented", []),
        ("caf\u00e9, \u65e5\u672c\u8a9e", []),
        ("zero\u200bwidth", ["\u200b"]),
        ("\u202eright to left", ["\u202e"]),
        ("tags \U000e0041\U000e0042 and more \U000e0043", ["\U000e0041\U000e0042", "\U000e0043"]),
        ("bell\x07", ["\x07"]),
        ("back\x08space", ["\x08"]),
        ("escape \x1b[31m", ["\x1b"]),
        ("lone \ud800", ["\ud800"]),
        ("a\u200db", ["\u200d"]),  # a joiner between letters that do not join
        ("\u26a0\ufe0f coloured sign", []),
        ("\u260e\ufe0e plain sign", []),
        ("\U0001f469\u200d\U0001f4bb at work", []),
        ("\U0001f469\U0001f3fd\u200d\U0001f4bb at work", []),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", []),  # Persian needs the non-joiner
        ("\u0915\u094d\u200d\u0937", []),  # and Hindi the joiner
        ("x\ufe0f\ufe0f", ["\ufe0f"]),
        ("\U0001f469\u200d\u200d\U0001f4bb", ["\u200d\u200d"]),
    ],
)
def test_runs_of_hidden_characters(text: str, runs: list[str]) -> None:
    assert hidden_runs(text) == runs


@given(st.text())
def test_what_is_found_is_hidden_and_adjoining(text: str) -> None:
    for run in hidden_runs(text):
        assert run in text
        assert "\n" not in run


@given(st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"))))
def test_text_without_hidden_characters_has_no_runs(text: str) -> None:
    if not HIDDEN.search(text):
        assert hidden_runs(text) == []


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_nothing_is_added_between_a_value_and_itself(value: Any) -> None:
    assert list(hidden_added(value, value)) == []


def test_a_run_that_moved_is_not_new_and_a_second_one_is() -> None:
    moved = list(hidden_added({"a": "x\u200b", "b": "y"}, {"a": "x", "b": "y\u200b"}))
    assert moved == []
    (twice,) = hidden_added({"a": "x\u200b"}, {"a": "x\u200b", "b": "y\u200b"})
    assert (twice.pointer, twice.hidden) == ("/b", ("\u200b",))


def test_keys_are_texts_too() -> None:
    (key,) = hidden_added({}, {"a/b": {"c\u200b": 1}})
    assert key.pointer == "/a~1b/c\u200b"


TAGS = "\U000e0049\U000e0047"


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        ({"description": f"Open.{TAGS}"}, "description"),
        ({"title": f"Open{TAGS}"}, "title"),
        ({"annotations": {"title": f"Open{TAGS}"}}, "annotations.title"),
        (
            {"inputSchema": {"properties": {"url": {"description": f"A.{TAGS}"}}}},
            "inputSchema.properties.url.description",
        ),
        ({"inputSchema": {"properties": {"kind": {"enum": [f"a{TAGS}"]}}}}, "inputSchema.properties.kind.enum.0"),
        ({"inputSchema": {"properties": {"n": {"default": f"a{TAGS}"}}}}, "inputSchema.properties.n.default"),
        ({"outputSchema": {"title": f"Page{TAGS}"}}, "outputSchema.title"),
    ],
)
def test_every_text_of_a_tool_is_looked_at(found: Found, place: dict[str, Any], pointer: str) -> None:
    rows = found({"tools": [{"name": "open"}]}, {"tools": [{"name": "open", **place}]})
    broken = [row for row in rows if row[0] == "invisible-text-added"]
    assert [(level, message.partition(":")[0]) for _, level, message in broken] == [("BREAKING", pointer)]
    assert "\\u{e0049}\\u{e0047}" in broken[0][2]


@pytest.mark.parametrize(
    "new",
    [
        {"instructions": f"Open.{TAGS}"},
        {"serverInfo": {"name": "a", "title": f"A{TAGS}"}},
        {"prompts": [{"name": "plan", "description": f"Plan.{TAGS}"}]},
        {"prompts": [{"name": "plan", "arguments": [{"name": "to", "description": f"Where.{TAGS}"}]}]},
        {"resources": [{"uri": "file:///a", "name": f"a{TAGS}"}]},
        {"resourceTemplates": [{"uriTemplate": "file:///{a}", "description": f"a{TAGS}"}]},
        {"tools": [{"name": f"a{TAGS}"}]},
    ],
)
def test_every_text_of_a_server_is_looked_at(found: Found, new: dict[str, Any]) -> None:
    rows = found({"serverInfo": {"name": "a"}}, {"serverInfo": {"name": "a"}, **new})
    assert "invisible-text-added" in [rule for rule, _, _ in rows]
