"""Parts of two documents that are the same: found in any order of names, and never where JSON tells them apart."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.canonical import canonical_json, text_of
from fusion_contracts.schema.identity import Identity

scalars = st.none() | st.booleans() | st.integers(0, 1) | st.sampled_from([0.0, 1.0, "", "a", "$ref", "\ud800"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)


@given(values, values)
def test_same_and_merged_say_what_the_canonical_text_says(old: Any, new: Any) -> None:
    equal = canonical_json(old) == canonical_json(new)
    merged = Identity().merged(old, new)
    assert canonical_json(merged) == canonical_json(new)
    assert (merged is old) is equal
    assert Identity().same(old, new) is equal
    assert equal or text_of(old) != text_of(new)


@given(values)
def test_a_copy_is_merged_into_the_very_same_object(old: Any) -> None:
    assert Identity().merged(old, copy.deepcopy(old)) is old


def test_what_is_the_same_is_shared_around_what_differs() -> None:
    old: Any = {"a": {"x": [1, {"b": 2}], "y": {"c": True}}, "d": [1]}
    new: Any = {"d": [1], "a": {"y": {"c": 1}, "x": [1, {"b": 2}]}, "e": 0}
    identity = Identity()
    merged = identity.merged(old, new)
    assert merged == new
    assert list(merged) == ["d", "a", "e"]
    assert merged["a"]["x"] is old["a"]["x"]
    assert merged["a"]["y"] is not old["a"]["y"]
    assert merged["a"]["y"]["c"] is not True
    assert not identity.same(old["a"], merged["a"])
    assert new["a"]["x"] is not old["a"]["x"], "the new document itself stays as it was"


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), (1, 1.0), ([1], [True]), ({"a": 0}, {"a": False}), ([], {}), ("1", 1), (None, 0)]
)
def test_what_python_calls_equal_is_not_merged(left: Any, right: Any) -> None:
    identity = Identity()
    assert not identity.same(left, right)
    assert identity.merged(left, right) is not left
    assert type(identity.merged([left], [right])[0]) is type(right)


def test_a_document_of_many_levels_is_merged_too() -> None:
    def deep(leaf: Any) -> Any:
        for _ in range(400):
            leaf = {"a": [leaf]}
        return leaf

    old = {"x": deep(1), "y": 0}
    merged = Identity().merged(old, {"x": deep(1), "y": 1})
    assert merged["x"] is old["x"]
