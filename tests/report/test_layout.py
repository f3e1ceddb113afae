"""Widths, cuts and wraps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.report.layout import columns, cut, hung, paint, where_they_differ, width_of, wrap

words = st.lists(st.text(st.characters(categories=["L", "M", "N", "P", "S"]), min_size=1), min_size=1)


@pytest.mark.parametrize(("text", "cells"), [("abc", 3), ("", 0), ("日本", 4), ("e\u0301", 1), ("é", 1), ("\u200b", 0)])
def test_cells(text: str, cells: int) -> None:
    assert width_of(text) == cells


def test_a_page_is_neither_too_narrow_nor_too_wide() -> None:
    assert [columns(width) for width in (20, 60, 90, 400)] == [60, 60, 90, 120]


def test_cut() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert cut("日本語", 5) == "日本…"
    assert cut("日本語", 4) == "日…"


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("a new page", "an old page", ("a new page", "an old page")),
        ("0123456789 old", "0123456789 new", ("…789 old", "…789 new")),
        ("0123456789", "0123456789 more", ("…6789", "…6789 more")),
    ],
)
def test_long_texts_are_shown_where_they_differ(one: str, other: str, shown: tuple[str, str]) -> None:
    assert where_they_differ(one, other, 12) == shown


def test_wrap() -> None:
    assert wrap("one two three", 8) == ["one two", "three"]
    assert wrap("0123456789", 4) == ["0123", "4567", "89"]
    assert wrap("a 0123456789 b", 4, whole=True) == ["a", "0123456789", "b"]


def test_a_line_of_a_log_is_hung_below_its_beginning() -> None:
    assert hung("  a line  in columns", 20) == ["  a line  in columns"]
    assert hung("  a line  in columns", 19) == ["  a line  in", "    columns"]
    assert hung("\x1b[1mlong enough to be wrapped", 10) == ["\x1b[1mlong enough to be wrapped"]
    assert wrap("", 4) == [""]
    assert wrap("one two\u00a0three", 9) == ["one", "two three"]


@given(words=words, width=st.integers(4, 40))
def test_wrapping_loses_nothing_and_fits(words: list[str], width: int) -> None:
    lines = wrap(" ".join(words), width)
    assert "".join(lines).replace(" ", "") == "".join(words)
    assert all(width_of(line) <= width for line in lines)


@given(text=st.text(), width=st.integers(1, 40))
def test_a_cut_fits(text: str, width: int) -> None:
    assert width_of(cut(text, width)) <= width


def test_paint() -> None:
    assert paint("BREAKING", "red", colour=True) == "\x1b[1;31mBREAKING\x1b[0m"
    assert paint("BREAKING", "red", colour=False) == "BREAKING"


@pytest.mark.parametrize("character", ["x", "\u00e9", "\u65e5", "e\u0301"])
def test_a_word_of_any_length_is_cut_in_one_pass(character: str) -> None:
    word = character * 200_000
    lines = wrap(word, 60)
    assert "".join(lines) == word
    assert {width_of(line) for line in lines[:-1]} == {60}
