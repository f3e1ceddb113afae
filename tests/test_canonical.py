"""The one spelling of JSON, the strict reader, and text that is safe to show."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.canonical import (
    MAX_DEPTH,
    canonical_json,
    equal,
    first_few,
    loads,
    pointer_key,
    pointer_token,
    printable,
    shared_start,
    shell_word,
    shortened,
    text_of,
)
from fusion_contracts.errors import FusionError

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
NEXT = "check that it is the right file, and complete"


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        # the number table of RFC 8785, appendix B, with what shows that a number is a float
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740992.0, "9007199254740992.0"),
        (295147905179352830000.0, "295147905179352830000.0"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (1.0000000000000001e23, "1.0000000000000001e+23"),
        (999999999999999700000.0, "999999999999999700000.0"),
        (1e21, "1e+21"),
        (9.999999999999997e-7, "9.999999999999997e-7"),
        (0.000001, "0.000001"),
        (333333333.3333332, "333333333.3333332"),
        (-0.0000033333333333333333, "-0.0000033333333333333333"),
        (1424953923781206.2, "1424953923781206.2"),
        (1e16, "10000000000000000.0"),
        (1, "1"),
        (2**64 + 1, "18446744073709551617"),
        (True, "true"),
        (None, "null"),
        ('\u20ac$\u000f\nA\'B"\\\\"/\u007f', '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f"'),
    ],
)
def test_scalars_are_spelled_as_rfc_8785_with_floats_marked(value: Any, spelled: str) -> None:
    assert canonical_json(value).decode() == spelled


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
    assert [ord(key[0]) for key in json.loads(canonical_json(value))] == [
        0x0D, 0x31, 0x80, 0xF6, 0x20AC, 0x1F600, 0xFB33,
    ]  # fmt: skip


def test_a_lone_surrogate_passes_and_differs_from_what_it_may_be_replaced_by() -> None:
    assert canonical_json("\ud800") == b'"\xed\xa0\x80"'


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_json_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json([number])


@given(VALUES)
def test_the_canonical_form_reads_back_as_the_same_value(value: Any) -> None:
    assert equal(json.loads(canonical_json(value)), value)


@given(st.dictionaries(st.text(), SCALARS, min_size=2))
def test_key_order_does_not_matter(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_keeps_its_bits_and_shows_that_it_is_one(number: float) -> None:
    text = canonical_json(number).decode()
    assert struct.pack("d", float(text)) == struct.pack("d", number)
    assert set(text) & set(".e")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (True, 1, False),
        (False, 0, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        ([1, {"a": True}], [1, {"a": True}], True),
        ([1, {"a": True}], [1, {"a": 1}], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        (None, False, False),
        (2**70, float(2**70), False),
        ("1", 1, False),
    ],
)
def test_equality_is_of_json_values_not_of_python(a: Any, b: Any, same: bool) -> None:
    assert equal(a, b) is same
    assert equal(b, a) is same


@given(VALUES, VALUES)
def test_values_of_one_text_are_equal(a: Any, b: Any) -> None:
    assert text_of(json.loads(json.dumps(a))) == text_of(a)
    assert text_of(a) != text_of(b) or equal(a, b)


def test_there_is_no_text_of_what_is_too_deep() -> None:
    assert text_of(json.loads(nested(500))) is not None
    deep: Any = 0
    for _ in range(5_000):
        deep = [deep]
    assert text_of(deep) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("get_page", "get_page"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[31mred", r"\u{1b}[31mred"),
        ("\r\x00\x7f\x9b", r"\u{d}\u{0}\u{7f}\u{9b}"),
        ("abc\u202ecba\u2066\u200f", r"abc\u{202e}cba\u{2066}\u{200f}"),
        ("zero\u200bwidth\ufeff\u2060", r"zero\u{200b}width\u{feff}\u{2060}"),
        ("tag\U000e0041\U000e007f", r"tag\u{e0041}\u{e007f}"),
        ("\ud800\udfff", r"\u{d800}\u{dfff}"),
        ("line\u2028para\u2029", r"line\u{2028}para\u{2029}"),
        ("filler\u3164\u115f", r"filler\u{3164}\u{115f}"),
        ("\u26a0\ufe0f careful", "\u26a0\ufe0f careful"),
        ("\ufe0f\u26a0\ufe0f\ufe0f", "\\u{fe0f}\u26a0\ufe0f\\u{fe0f}"),
        ("hidden\ufe00\U000e0100", r"hidden\u{fe00}\u{e0100}"),
        ("Gr\u00fc\u00dfe \u4f60\u597d \U0001f600 C:\\new", "Gr\u00fc\u00dfe \u4f60\u597d \U0001f600 C:\\new"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(alphabet=st.characters()))
def test_shown_text_stays_on_its_line_and_is_encodable(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    shown.encode()
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 1.0, null]}', {"a": [1, 1.0, None]}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ("18446744073709551616", 2**64),
        ("1" * 4300, int("1" * 4300)),
        (r'"\ud800"', "\ud800"),
        (" \n null ", None),
        (nested(MAX_DEPTH), json.loads(nested(MAX_DEPTH))),
    ],
)
def test_json_is_read(text: str | bytes, value: Any) -> None:
    assert equal(loads(text, "catalog.json"), value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "c.json is empty"),
        (b" \n", "c.json is empty"),
        ('{\n "a": }', "c.json is not JSON: line 2, column 7: expecting value"),
        ("{} {}", "c.json is not JSON: line 1, column 4: extra data"),
        ('{"a": 1, "b": {"x\n": 1}}', "c.json is not JSON: line 1, column 18: invalid control character"),
        (b'{\n"a": "\xff"}', "c.json is not UTF-8: line 2 holds the byte 0xff"),
        ('{"a": {"k\\n": 1, "k\\n": 2}}', 'c.json holds the key "k\\n" twice in one object'),
        ("[1, NaN]", "c.json holds NaN, which JSON does not have"),
        ("-Infinity", "c.json holds -Infinity, which JSON does not have"),
        ("1e400", "c.json holds a number too large to keep: 1e400"),
        ("-" + "9" * 4301, f"c.json holds an integer of 4301 digits: -{'9' * 39}..."),
        (nested(MAX_DEPTH + 1), "c.json is nested deeper than 256 levels"),
        (nested(100_000), "c.json is nested deeper than 256 levels"),
        ("[" * 100_000, "c.json is nested deeper than 256 levels"),
        ('{"a":' * 300 + "1" + "}" * 300, "c.json is nested deeper than 256 levels"),
    ],
)
def test_what_is_not_json_gets_one_sentence(text: str | bytes, sentence: str) -> None:
    with pytest.raises(FusionError) as caught:
        loads(text, "c.json")
    assert str(caught.value) == f"{sentence}; {NEXT}"


def test_the_origin_is_shown_safely_and_the_next_step_can_be_chosen() -> None:
    with pytest.raises(FusionError) as caught:
        loads("", "a\x1b]0;b", next="ask the server's authors")
    assert str(caught.value) == r"a\u{1b}]0;b is empty; ask the server's authors"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("pages", "pages"),
        ("a.b-c_1", "a.b-c_1"),
        ("", "''"),
        ("x; rm -rf ~", "'x; rm -rf ~'"),
        ("$(id)", "'$(id)'"),
        ("it's", "'it'\"'\"'s'"),
        ("a\x1b\nb", r"'a\u{1b}\nb'"),
    ],
)
def test_a_name_in_a_command_to_run_is_one_word(text: str, word: str) -> None:
    assert shell_word(text) == word


def test_a_long_name_hides_no_sentence() -> None:
    assert shortened("a" * 120) == "a" * 120
    assert shortened("a" * 121) == "a" * 120 + "..."
    assert shortened("\x1b" * 10**6) == printable("\x1b" * 20) + "..."


@pytest.mark.parametrize(("key", "token"), [("plain", "plain"), ("a/b", "a~1b"), ("~1", "~01"), ("", "")])
def test_a_key_is_one_token_of_a_pointer(key: str, token: str) -> None:
    assert pointer_token(key) == token


@given(st.text(alphabet="~/01a"))
def test_the_token_of_a_key_gives_the_key_again(key: str) -> None:
    assert pointer_key(pointer_token(key)) == key


@pytest.mark.parametrize(
    ("words", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more")],
)
def test_of_many_words_the_first_are_said(words: list[str], said: str) -> None:
    assert first_few(words, 2) == said


@pytest.mark.parametrize(
    ("left", "right", "shared"),
    [("", "", 0), ("ab", "ab", 2), ("abc", "abd", 2), ("ab", "abc", 2), (["one", " "], ["one", "two"], 1)],
)
def test_what_two_texts_begin_alike_with_is_counted(left: Any, right: Any, shared: int) -> None:
    assert shared_start(left, right) == shared == shared_start(right, left)
