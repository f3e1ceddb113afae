"""The languages of drawn patterns: another engine agrees about members, and every answer holds."""

from __future__ import annotations

from itertools import islice

import jsonschema_rs
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fusion_contracts.schema import charset
from fusion_contracts.schema.language import Exhausted, find, iterate, matches

CHARACTERS = st.sampled_from("aabbc x-1_.\n")
ATOMS = st.sampled_from(
    ["a", "b", "c", ".", "[ab]", "[^a]", r"\d", r"\w", r"\W", r"\s", "-", "[a-c_]", r"\n", r"\.", r"\S", "x?", "a{2}"]
)
ASSERTIONS = st.sampled_from(["^", "$", r"\b", r"\B", "(?<=a)", "(?<![ab])", "(?<=b|^)"])
QUANTIFIERS = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "*?", "{3,4}"])


def longer(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, QUANTIFIERS).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(st.sampled_from(["(?=", "(?!"]), inner).map(lambda pair: f"{pair[0]}{pair[1]})"),
    )


PATTERNS = st.recursive(ATOMS | ASSERTIONS, longer, max_leaves=7)
QUICK = settings(deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(pattern=PATTERNS, texts=st.lists(st.text(CHARACTERS, max_size=7), min_size=5, max_size=30))
def test_membership_agrees_with_another_engine(pattern: str, texts: list[str]) -> None:
    """ASCII texts: with look-arounds jsonschema-rs reads `\\w`, `\\b` and `.` as its engine does, not as ECMA-262."""
    try:
        validator = jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError:  # its engine refuses to repeat a group of nothing but look-arounds
        assume(False)
    for text in texts:
        assert matches(pattern, text) is validator.is_valid(text), text


@QUICK
@given(positive=PATTERNS, negative=PATTERNS, texts=st.lists(st.text(CHARACTERS, max_size=6), max_size=40))
def test_answers_hold(positive: str, negative: str, texts: list[str]) -> None:
    try:
        found = find([positive], [negative])
        listed = list(islice(iterate([positive], [negative], max_length=5), 40))
    except Exhausted:
        assume(False)
    members = [text for text in texts if matches(positive, text) and not matches(negative, text)]
    if found is None:
        assert members == []
        assert listed == []
    else:
        assert matches(positive, found)
        assert not matches(negative, found)
    assert len(set(listed)) == len(listed)
    assert all(matches(positive, text) and not matches(negative, text) and len(text) <= 5 for text in listed)
    if len(listed) < 40:  # all there are
        assert {text for text in members if len(text) <= 5} <= set(listed)
    if listed:
        assert find([positive], [negative], max_length=5, excluded=set(listed[:3])) not in listed[:3]


INTERVALS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=6
).map(charset.normal)


@QUICK
@given(one=INTERVALS, other=INTERVALS)
def test_sets_of_code_points(one: charset.Intervals, other: charset.Intervals) -> None:
    def members(intervals: charset.Intervals) -> set[int]:
        return {code for code in range(60) if charset.contains(intervals, code)}

    assert members(charset.union(one, other)) == members(one) | members(other)
    assert members(charset.intersect(one, other)) == members(one) & members(other)
    assert members(charset.negate(one)) == set(range(60)) - members(one)
    assert charset.negate(charset.negate(one)) == one
    assert charset.subset(one, other) == (members(one) <= members(other))
