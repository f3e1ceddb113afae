"""Leaving out what no answer depends on changes no answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from judging import accepts

from fusion_contracts.schema.aside import without
from fusion_contracts.schema.compare import Comparison, Pair, Side

PARTS = [
    {}, False, {"type": "integer"}, {"type": "integer", "minimum": 1}, {"enum": ["a", "b"]}, {"enum": ["a"]},
    {"type": "object", "properties": {"x": {"type": "string"}}}, {"$ref": "#/properties/a"},
]  # fmt: skip
NAMES = st.sampled_from("abcd")


@st.composite
def roots(draw: st.DrawFn) -> dict[str, Any]:
    """An object with a few arguments, most of them plain."""
    root: dict[str, Any] = {"type": "object"}
    root["properties"] = draw(st.dictionaries(NAMES, st.sampled_from(PARTS), min_size=1))
    root |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "required": st.lists(NAMES, unique=True, max_size=2),
                "additionalProperties": st.sampled_from([False, False, True, {"type": "integer"}]),
                "minProperties": st.integers(0, 2),
                "dependentRequired": st.just({"a": ["b"]}),
                "patternProperties": st.just({"^[ab]$": {"type": "integer"}}),
                "allOf": st.just([{"properties": {"a": {"minimum": 3}}}]),
            },
        )
        if draw(st.integers(0, 2)) == 0
        else st.fixed_dictionaries(
            {},
            optional={
                "required": st.lists(NAMES, unique=True, max_size=2),
                "additionalProperties": st.just(False),
                "title": st.just("T"),
            },
        )
    )
    return root


def answer(old: Any, new: Any, *, focused: bool) -> Comparison:
    return Pair(Side(old), Side(new), world="declared", focused=focused).comparison()


@given(old=roots(), new=roots(), same=st.sets(NAMES))
@example(
    old={"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
    new={"type": "object", "properties": {"a": {"type": "object", "properties": {"x": {"type": "string"}}}}},
    same=set(),
)
@example(
    old={"type": "object", "properties": {"a": {}}},
    new={"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]},
    same=set(),
)
@example(
    old={"properties": {"a": {}, "b": {}}, "additionalProperties": True},
    new={"properties": {"a": {}, "b": {"type": "integer"}}, "additionalProperties": {"type": "integer"}},
    same=set(),
)
@settings(max_examples=400)
def test_the_answer_is_the_same(old: Any, new: Any, same: set[str]) -> None:
    for name in same & old["properties"].keys():
        new["properties"][name] = old["properties"][name]
    whole, focused = answer(old, new, focused=False), answer(old, new, focused=True)
    assert whole.verdict in (focused.verdict, "undecided")  # a part that cannot be read may be left out, too
    if focused.has_witness:
        assert accepts(old, focused.witness) in {True, None}
        assert accepts(new, focused.witness) in {False, None}


OLD = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {}}, "required": ["c"]}
NEW = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}, "required": ["c"]}


def left_out(old: Any, new: Any) -> set[str]:
    return set(Pair(Side(old), Side(new), focused=True)._aside)


def test_an_argument_that_nobody_requires_and_that_did_not_change_is_left_out() -> None:
    assert left_out(OLD, NEW) == {"a"}
    assert without(OLD, frozenset({"a"})) == {**OLD, "properties": {"b": {"type": "string"}, "c": {}}}
    assert left_out({**OLD, "required": []}, {**NEW, "required": []}) == {"a", "c"}


@pytest.mark.parametrize("side", ["old", "new"])
@pytest.mark.parametrize(
    "more",
    [
        {"additionalProperties": True}, {"additionalProperties": {}}, {"minProperties": 1}, {"maxProperties": 1},
        {"patternProperties": {}}, {"propertyNames": {}}, {"dependentRequired": {}}, {"allOf": []}, {"if": {}},
        {"required": ["a"]}, {"required": 1}, {"required": [[]]}, {"$defs": {"x": {"$ref": "#/properties/a"}}},
        {"$defs": {"x": {"$dynamicRef": "#a"}}}, {"properties": []}, {"unknown": 1},
    ],
)  # fmt: skip
def test_a_root_that_may_speak_of_it_elsewhere_is_left_whole(side: str, more: dict[str, Any]) -> None:
    old, new = ({**schema, **more} if side == name else schema for name, schema in (("old", OLD), ("new", NEW)))
    assert left_out(old, new) == set()


@pytest.mark.parametrize("schema", [True, False, 3, [], {}])
def test_what_is_no_object_with_arguments_is_left_whole(schema: Any) -> None:
    assert left_out(schema, NEW) == left_out(OLD, schema) == set()
    assert without(schema, frozenset({"a"})) is schema
