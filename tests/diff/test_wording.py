"""How sentences show values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.diff.wording import shift

LIST = "summary,description,status,assignee"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("a", "b", 'changed ("a" -> "b")'),
        (1, None, "removed (was 1)"),
        (None, "b", 'added ("b")'),
        (1, True, "changed (1 -> true)"),
        ("x" * 40, "y" * 40, f'changed ("{"x" * 27}..." -> "{"y" * 27}...")'),
        (LIST, LIST + ",reporter", 'changed ("...assignee" -> "...assignee,reporter")'),
        (
            "https://example.com/schemas/2024/tool.json",
            "https://example.com/schemas/2025/tool.json",
            'changed ("...emas/2024/tool.json" -> "...emas/2025/tool.json")',
        ),
        ("short, and alike, but an end", "short, and alike, but no end", None),
        ([1] * 20, [1] * 20 + [2], "changed (... 1, 1, 1] -> ... 1, 1, 1, 2])"),
        ("x" * 40, [1] * 20, f'changed ("{"x" * 27}..." -> [1, 1, 1, 1, 1, 1, 1, 1, 1,...)'),
        ("a\u200b" * 9, "a", 'changed ("a\\u{200b}a\\u{200b}a\\u{200b}..." -> "a")'),
    ],
)
def test_what_a_value_was_and_is(before: Any, after: Any, told: str | None) -> None:
    assert shift(before, after) == (told or f'changed ("{before}" -> "{after}")')


words = st.text("ab,", max_size=80)


@given(words, words)
def test_two_texts_that_differ_are_shown_differently_and_briefly(before: str, after: str) -> None:
    told = shift(before, after, had=True, has=True)
    left, right = told.removeprefix("changed (").removesuffix(")").split(" -> ")
    assert (left == right) == (before == after)
    assert len(told) <= len('changed ("" -> "")') + 2 * 30
