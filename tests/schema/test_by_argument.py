"""Roots that only list arguments are decided argument by argument, as the tableau decides them as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from judging import accepts

from fusion_contracts.schema.aside import lists_arguments
from fusion_contracts.schema.build import Builder
from fusion_contracts.schema.by_argument import Arguments, Reason
from fusion_contracts.schema.changes import Edit, Place
from fusion_contracts.schema.compare import Pair, Side
from fusion_contracts.schema.explain import Explanation, explain_pair
from fusion_contracts.schema.formula import Space
from fusion_contracts.schema.solve import Solver

PARTS: list[Any] = [
    {}, True, False, {"type": "string"}, {"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "number"},
    {"type": ["integer", "null"]}, {"enum": ["a", "b"]}, {"enum": ["a"]}, {"const": "b", "type": "string"},
    {"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"$ref": "#/$defs/d"}},
    {"type": "object", "properties": {"x": {"type": "string"}}},
    {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False},
    {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"oneOf": [{"type": "integer"}, {"minimum": 3}]},
    {"$ref": "#/$defs/d"}, {"$ref": "#"}, {"$ref": "#/properties/a"}, {"not": {"type": "string"}},
]  # fmt: skip
NAMES = st.sampled_from("abcd")


@st.composite
def roots(draw: st.DrawFn) -> dict[str, Any]:
    """A root with a few arguments, its keywords in any order."""
    root: dict[str, Any] = {
        "type": "object",
        "properties": draw(st.dictionaries(NAMES, st.sampled_from(PARTS), min_size=1)),
        "$defs": {"d": draw(st.sampled_from(PARTS[:12]))},
    }
    root |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "required": st.lists(NAMES, unique=True, max_size=3),
                "additionalProperties": st.just(False),
                "title": st.just("T"),
            },
        )
    )
    return {keyword: root[keyword] for keyword in draw(st.permutations(list(root)))}


def explained(old: Any, new: Any, *, focused: bool) -> Explanation:
    """The answers with and without the way of `by_argument`."""
    return explain_pair(Pair(Side(old), Side(new), objects=True, focused=focused))


def in_parts(explanation: Explanation) -> list[Edit]:
    """The edits, without the blame of the whole where none of them breaks alone."""
    return [edit for edit in explanation.edits if edit.change.place != Place("", "", "")]


@given(old=roots(), new=roots(), same=st.sets(NAMES))
@example(  # closing alone would refuse `a`, which every old call holds; that `b` is refused is another edit's doing
    old={"type": "object", "properties": {"b": {}}, "required": ["a"]},
    new={"type": "object", "properties": {"a": {}}, "additionalProperties": False},
    same=set(),
)
@example(  # the value under `a` cannot be read; that under `b` breaks all the same
    old={"type": "object", "properties": {"a": {}, "b": {"type": "integer"}}, "required": ["a"]},
    new={"type": "object", "properties": {"a": {"$ref": "#/properties/a"}, "b": False}},
    same=set(),
)
@example(  # nothing fits `b` in any old call that holds `a`: whatever else is open
    old={"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}, "$defs": {"d": {}}, "title": "T",
         "additionalProperties": False, "required": ["a"]},
    new={"type": "object", "properties": {"a": {}, "b": {"$ref": "#"}}, "$defs": {"d": {}}},
    same=set(),
)  # fmt: skip
@example(
    old={"type": "object", "properties": {"d": {"$ref": "x"}}, "required": ["a"], "additionalProperties": False},
    new={"type": "object", "properties": {"d": {"$ref": "#"}}},
    same=set(),
)
@settings(max_examples=1_000)
def test_each_answer_is_that_of_the_tableau(old: Any, new: Any, same: set[str]) -> None:
    for name in same & old["properties"].keys():
        new["properties"][name] = old["properties"][name]
    ours, whole = explained(old, new, focused=True), explained(old, new, focused=False)
    if whole.comparison.verdict != "undecided":
        assert ours.comparison.verdict == whole.comparison.verdict
    assert any(edit.effect == "breaks" for edit in ours.edits) or ours.comparison.verdict != "incompatible"
    for edit, other in zip(in_parts(ours), in_parts(whole), strict=True):
        assert (type(edit.change), edit.change.place) == (type(other.change), other.change.place)
        # the tableau may blame an edit for what another argument breaks
        assert other.effect in (edit.effect, "undecided") or (edit.effect, other.effect) == ("safe", "breaks")
        if edit.has_witness:
            assert accepts(old, edit.witness) in {True, None}
            assert accepts(new, edit.witness) in {False, None}


def root(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


TEXT, NUMBER = {"type": "string", "default": "t"}, {"type": "integer", "default": 3}


@pytest.mark.parametrize(
    ("old", "new", "witness"),
    [
        pytest.param(root({"a": TEXT, "b": TEXT, "c": NUMBER}, "b"), root({"a": TEXT, "b": TEXT, "c": TEXT}, "b"),
                     {"b": "t", "c": 3}, id="the one argument that breaks beside what is required"),
        pytest.param(root({"a": TEXT, "b": TEXT}, "b"), root({"a": TEXT, "b": TEXT}, "b", "a"),
                     {"b": "t"}, id="an argument that is required now is left out"),
        pytest.param(root({"b": TEXT, "c": NUMBER}, "b"), root({"b": TEXT, "c": TEXT, "d": TEXT}, "b", "d"),
                     {"b": "t"}, id="what nobody could send is enough"),
        pytest.param(root({"a": {"const": 1.0}}), root({"a": TEXT}),
                     {"a": 1.0}, id="a value as the contract writes it"),
        pytest.param(root({"a": {"type": "array", "minItems": 1, "items": {"enum": ["a", "x"]}}}), root({"a": TEXT}),
                     {"a": ["a"]}, id="the first value of a list"),
        pytest.param(root({"a": {"anyOf": [{"enum": ["a", "x"]}]}}), root({"a": NUMBER}),
                     {"a": "a"}, id="the first value of a list behind a union"),
        pytest.param(root({"a": TEXT, "b": TEXT}, "b"), root({"b": TEXT}, "b", additionalProperties=False),
                     {"b": "t", "a": "t"}, id="a name that is refused"),
        pytest.param(root({"a": TEXT, "b": TEXT}, "b"), root({"a": TEXT}, additionalProperties=False),
                     {"b": "t"}, id="a name that is refused and was required"),
        pytest.param(root({"a": NUMBER, "b": NUMBER}), root({"b": TEXT, "a": TEXT}),
                     {"b": 3}, id="in the order in which the new root lists them"),
    ],
)  # fmt: skip
def test_the_witness_is_the_smallest_call(old: Any, new: Any, witness: Any) -> None:
    found = explained(old, new, focused=True).comparison
    assert (found.verdict, found.witness) == ("incompatible", witness)
    assert json.dumps(found.witness) == json.dumps(witness)


@pytest.mark.parametrize("never", [False, {"type": "string", "enum": [1]}])
def test_nothing_breaks_where_no_call_worked(never: Any) -> None:
    old, new = root({"a": TEXT, "b": never}, "b"), root({"a": NUMBER, "b": never}, "b", "c")
    assert explained(old, new, focused=True).comparison.verdict == "compatible"


OLD = root({"a": TEXT, "b": NUMBER, "c": TEXT}, "c")


@pytest.fixture
def arguments() -> tuple[Arguments, Callable[[Any], int]]:
    """The arguments of OLD, and how a schema about one becomes a formula."""
    space = Space()
    builder = Builder(space)
    return Arguments(builder, Solver(space), OLD, OLD, fixed=True), builder.document


def test_reasons_of_two_roots_are_met_by_one_argument(arguments: Any) -> None:
    found, formula = arguments
    first = [Reason("a", formula({"maxLength": 0}))]
    same, other = Reason("a", formula({"maxLength": 3})), Reason("b", formula({"maximum": 2}))
    assert found.refused(first, [other, same]) == {"c": "t", "a": "aaaa"}
    of_others = [Reason("a", formula({"type": "string"})), Reason("d"), other]
    assert repr(found.refused(first, of_others)) == "NOTHING"  # each has another cause
    assert found.refused(first, first) == found.refused(first) == {"c": "t", "a": "t"}
    assert repr(found.refused(first, [])) == "NOTHING"
    assert repr(found.refused([Reason("a", formula({"type": "string"}))], [other])) == "NOTHING"


def test_what_nobody_could_send_is_the_first_reason_and_what_is_alike_is_none(arguments: Any) -> None:
    found, formula = arguments
    new = root({"d": TEXT, "b": NUMBER, "c": NUMBER}, "b", "d", additionalProperties=False)
    assert found.reasons(new) == [
        Reason("d"), Reason("c", formula(NUMBER)), Reason("b"), Reason("a", formula(False)),
    ]  # fmt: skip
    assert found.why == found.reasons(OLD) == []


def test_an_object_breaks_for_a_reason_of_each_root(arguments: Any) -> None:
    found, formula = arguments
    short, missing = [Reason("a", formula({"minLength": 2}))], [Reason("b")]
    assert found.breaks({"c": "t", "a": "t"}, short)
    assert found.breaks({"c": "t", "a": "t"}, short, missing)
    assert not found.breaks({"c": "t", "a": "t", "b": 3}, short, missing)  # it is there
    assert not found.breaks({"c": "t", "a": "tt"}, short)  # no reason applies
    assert not found.breaks({"c": "t"}, short)  # what is not there has no value
    assert not found.breaks({"a": "t"}, short)  # the old root requires c,
    assert not found.breaks({"c": 1, "a": "t"}, short)  # takes a text for it,
    assert not found.breaks({"c": "t", "a": "t", "d": 1}, short)  # and shows no d
    assert not found.breaks(["c"], short)


def test_two_edits_of_one_argument_share_a_value() -> None:
    old = root({"a": {"type": "string", "maxLength": 9}})
    new = root({"a": {"type": "string", "maxLength": 5, "minLength": 2}})
    lengths = [len(edit.witness["a"]) for edit in explained(old, new, focused=True).edits]
    assert sorted(lengths) == [1, 6]


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"type": "object"},
        {"type": ["object", "null"], "properties": {}},
        {"properties": {}, "required": ["a", 1]},
        {"properties": {}, "required": "a"},
        {"properties": {}, "minProperties": 1},
        {"properties": {}, "additionalProperties": {"type": "string"}},
        {"properties": {}, "additionalProperties": True},
        {"properties": {}, "$ref": "#/$defs/a"},
        {"properties": []},
    ],
)
def test_a_root_that_says_more_is_left_to_the_tableau(schema: Any) -> None:
    assert not lists_arguments(schema)


def test_a_root_that_lists_arguments() -> None:
    assert lists_arguments(root({"a": TEXT}, "a", title="T", additionalProperties=False))
    assert lists_arguments({"properties": {}})
