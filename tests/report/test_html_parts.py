"""What the HTML report compares by itself: JSON side by side, and prose word by word."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.canonical import HIDDEN, equal
from fusion_contracts.report.page.markup import Markup, escape, json_text, lines, tag
from fusion_contracts.report.page.prose import marked, reworded
from fusion_contracts.report.page.room import Room
from fusion_contracts.report.page.sidebyside import ABSENT, hunks

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner, max_size=5)
)
words = st.lists(st.sampled_from(["a", "b", "the", "page", ".", ",", "\n", "<b>", "&amp;"]), max_size=80).map(" ".join)


def sides(old: Any, new: Any) -> tuple[Any, Any]:
    """Both documents, read again from the lines."""
    found = list(hunks(old, new))
    left, right = ("\n".join(line for hunk in found for line in getattr(hunk, side)) for side in ("old", "new"))
    return json.loads(left), json.loads(right)


@given(values, values)
def test_the_lines_are_both_documents(old: Any, new: Any) -> None:
    left, right = sides(old, new)
    assert equal(left, old)
    assert equal(right, new)


@given(values)
def test_a_document_beside_itself_is_one_hunk(value: Any) -> None:
    assert [hunk.same for hunk in hunks(value, value)] == [True]


@given(values)
def test_a_side_that_is_not_there_has_no_lines(value: Any) -> None:
    (hunk,) = hunks(ABSENT, value)
    assert (hunk.same, hunk.old) == (False, ())
    assert equal(json.loads("\n".join(hunk.new)), value)


@given(values, values)
def test_lines_that_are_the_same_differ_by_a_comma_at_most(old: Any, new: Any) -> None:
    for hunk in hunks(old, new):
        if hunk.same:
            assert [line.rstrip(",") for line in hunk.old] == [line.rstrip(",") for line in hunk.new]


def test_a_renamed_key_stands_beside_its_old_name() -> None:
    old = {"type": "object", "properties": {"id": {"type": "integer"}, "note": {}}, "required": ["id"]}
    new = {"type": "object", "properties": {"ticket": {"type": "integer"}, "note": {}}, "required": ["ticket"]}
    same = '      "type": "integer"', "    },"
    assert [(hunk.old, hunk.new) for hunk in hunks(old, new) if not hunk.same] == [
        (('    "id": {', *same), ('    "ticket": {', *same)),
        (('  "required": ["id"]',), ('  "required": ["ticket"]',)),
    ]


def test_keys_in_another_order_are_no_change() -> None:
    old = {"properties": {"id": {"minimum": 1, "type": "integer"}}, "type": "object"}
    new = {"type": "object", "properties": {"ticket": {"type": "integer", "minimum": 1}}}
    assert [(hunk.old, hunk.new) for hunk in hunks(old, new) if not hunk.same] == [
        tuple(
            (f'    "{name}": {{', '      "minimum": 1,', '      "type": "integer"', "    }")
            for name in ("id", "ticket")
        )
    ]


def test_an_element_that_went_is_the_only_one_marked() -> None:
    branches = [{"const": one} for one in "abc"]
    (gone,) = [hunk for hunk in hunks({"oneOf": branches}, {"oneOf": branches[1:]}) if not hunk.same]
    assert (gone.old, gone.new) == (("    {", '      "const": "a"', "    },"), ())


def test_long_lists_are_compared_place_by_place_and_not_matched() -> None:
    old = [{"n": number} for number in range(2_000)]
    changed = [hunk for hunk in hunks(old, [*old[:-1], {"n": -1}]) if not hunk.same]
    assert [(hunk.old, hunk.new) for hunk in changed] == [(('    "n": 1999',), ('    "n": -1',))]


def test_a_document_as_deep_as_is_read_is_shown() -> None:
    old: Any = 1
    new: Any = 2
    for _ in range(250):
        old, new = {"a": old}, {"a": new}
    assert sides(old, new) == (old, new)


@given(st.text(st.characters(codec=None)) | values)
def test_json_on_the_page_hides_nothing_and_is_the_value(value: Any) -> None:
    text = json_text(value)
    assert HIDDEN.search(text) is None
    assert equal(json.loads(text), value)


# --- prose -----------------------------------------------------------------------------------------------------------


def without(markup: str, element: str) -> str:
    """The text of markup but for what one element holds."""
    return unescape(re.sub(r"<[^>]+>", "", re.sub(rf"<{element}>.*?</{element}>", "", markup, flags=re.DOTALL)))


@given(words, words)
def test_the_marks_hold_both_texts(old: str, new: str) -> None:
    text = reworded(old, new, Room())
    if "the same] " in text:
        return
    assert without(text, "ins") == old
    assert without(text, "del") == new


@given(words, words)
def test_marked_lines_are_the_lines(old: str, new: str) -> None:
    for line, shown in zip((old, new), marked(old, new, Room()), strict=True):
        assert unescape(re.sub(r"</?mark>", "", shown)) == unescape(escape(line))


def test_a_word_or_two_between_changes_make_no_third_change() -> None:
    assert reworded("one two three", "uno two tres", Room()) == "<del>one two three</del><ins>uno two tres</ins>"


def test_a_long_passage_that_stayed_is_left_out() -> None:
    same = "word " * 200
    assert reworded(f"first {same}", f"second {same}", Room()) == (
        f'<del>first</del><ins>second</ins>{(" " + same)[:160]}<span class="elided"> [841 characters the same] </span>'
    )


def test_texts_of_frequent_words_replace_each_other() -> None:
    old, new = "x " + "a b " * 30, "b a " * 30 + "y"
    assert reworded(old, new, Room()) == f"<del>{old}</del><ins>{new}</ins>"


def test_texts_that_would_take_too_long_to_compare_replace_each_other() -> None:
    old = " ".join(f"w{number}" for number in range(6_000))
    new = f"first {old} last".replace("w3000 ", "")
    assert reworded(old, new, Room()) == f"<del>{old}</del><ins>{new}</ins>"
    assert "<del>w3000 </del>" in reworded(old, new, Room(steps=10**6, at_once=10**6))


def test_what_comparing_costs_is_bounded_for_a_whole_page() -> None:
    room = Room(steps=45)  # one word: 1 + 1 steps; the others: 9 + 9, and 3 places of words that stand on both sides
    assert reworded("a b c d e", "a b x d e", room) == "a b <del>c</del><ins>x</ins> d e"
    assert reworded("1 b c d 5", "2 b c d 6", room) == "<del>1</del><ins>2</ins> b c d <del>5</del><ins>6</ins>"
    assert reworded("1 b c d 5", "2 b c d 6", room) == "<del>1</del><ins>2</ins> b c d <del>5</del><ins>6</ins>"
    assert reworded("1 b c d 5", "2 b c d 6", room) == "<del>1 b c d 5</del><ins>2 b c d 6</ins>"


# --- markup ----------------------------------------------------------------------------------------------------------


@given(st.text(st.characters(codec=None)))
def test_text_comes_back_as_it_is_seen(text: str) -> None:
    assert re.fullmatch(r"[^<>]*", escape(text))
    assert '"' not in tag("p", title=text).removeprefix('<p title="').removesuffix('"></p>')
    assert "\n" not in escape(text)
    assert lines("a\nb<") == "a\nb&lt;"


def test_markup_is_not_escaped_again() -> None:
    assert tag("p", Markup("<b>a</b>"), "<b>", class_="x", hidden=True, id=None) == (
        '<p class="x" hidden><b>a</b>&lt;b&gt;</p>'
    )


def test_room_is_counted_in_what_is_written() -> None:
    room = Room(10)
    assert room.takes("\u5de5")  # &#24037;
    assert not room.takes("abc")
    assert room.takes("ab")
