"""Definitions that refer to each other: every pair of places is decided once, however many paths lead there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts.schema import compare, explain
from fusion_contracts.schema.answer import NOTHING
from fusion_contracts.schema.answers import OPEN, Answers
from fusion_contracts.schema.compare import Pair, Side, deep_recursion

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def reference(index: int) -> Any:
    return {"$ref": f"#/$defs/d{index}"}


def web(size: int, edited: int | None = None, **edit: Any) -> Any:
    """Definitions of which each has all others as properties, and `v`; one of them with other keywords."""
    definitions: dict[str, Any] = {}
    for index in range(size):
        others = {f"p{other}": reference(other) for other in range(size) if other != index}
        definitions[f"d{index}"] = {"type": "object", "properties": {**others, "v": STRING}}
    if edited is not None:
        schema = definitions[f"d{edited}"]
        definitions[f"d{edited}"] = {**schema, **edit, "properties": schema["properties"] | edit.get("properties", {})}
    return {"type": "object", "properties": {"a": reference(0)}, "$defs": definitions}


NARROWED, WIDENED = {"properties": {"v": INTEGER}}, {"properties": {"v": {"type": ["string", "null"]}}}
CASES: dict[str, tuple[int, Any, Any]] = {  # the definition, its edit, the witness (None: there is none)
    "narrowed, the first": (0, NARROWED, {"a": {"v": "x"}}),
    "narrowed, the last": (39, NARROWED, {"a": {"p39": {"v": "x"}}}),
    "one more required": (20, {"required": ["v"]}, {"a": {"p20": {}}}),
    "widened": (20, WIDENED, None),
    "one more property": (20, {"properties": {"more": STRING}}, None),
    "described": (20, {"description": "as before"}, None),
}


@pytest.mark.parametrize("name", CASES)
def test_forty_definitions_are_decided_with_the_smallest_witness(name: str) -> None:
    index, edit, witness = CASES[name]
    answer = compare(web(40), web(40, index, **edit))
    assert (answer.verdict, answer.witness) == ("incompatible" if witness else "compatible", witness)


def test_the_edit_of_a_definition_is_told_once() -> None:
    (edit,) = explain(web(20), web(20, 7, **NARROWED)).edits
    assert (edit.effect, edit.change.place.old, edit.witness) == (
        "breaks", "/$defs/d7/properties/v/type", {"a": {"p7": {"v": "x"}}},
    )  # fmt: skip


@pytest.mark.parametrize("edit", [NARROWED, WIDENED])
def test_twice_the_definitions_take_four_times_the_work(edit: Any) -> None:
    def work(size: int) -> int:
        pair = Pair(Side(web(size)), Side(web(size, size // 2, **edit)))
        with deep_recursion():
            assert pair.comparison().verdict != "undecided"
        return pair.work

    assert work(80) < 4.5 * work(40) < 4.5 * 4.5 * work(20)


def test_names_that_are_required_beside_a_reference_are_declared_there_alone() -> None:
    place = {"allOf": [reference(0), {"required": ["x"]}]}
    old = {"properties": {"a": reference(0), "b": place}, "$defs": {"d0": {"properties": {"v": STRING}}}}
    closed = {"additionalProperties": False, "properties": {"v": STRING}}
    assert compare(old, {"properties": {"a": closed}}).verdict == "compatible"
    assert compare(old, {"properties": {"b": closed}}).witness == {"b": {"x": "x"}}


# A second reading: an edit of a definition breaks when it can be reached through definitions that have a value at all.


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[dict[int, bool]], set[int], set[int]]:
    """For each definition those that it refers to, and whether it needs them; the narrowed ones, the widened ones."""
    size = draw(st.integers(1, 6))
    nodes = st.integers(0, size - 1)
    edges = [draw(st.dictionaries(nodes, st.booleans(), max_size=size)) for _ in range(size)]
    return edges, draw(st.sets(nodes, max_size=2)), draw(st.sets(nodes, max_size=2))


def document(edges: list[dict[int, bool]], narrowed: set[int], widened: set[int]) -> Any:
    definitions = {}
    for index, others in enumerate(edges):
        kinds = ["string"] if index in narrowed else ["string", "integer"]
        own = {"type": [*kinds, "null"] if index in widened else kinds}
        properties = {**{f"p{other}": reference(other) for other in others}, "v": own}
        needed = [f"p{other}" for other, must in others.items() if must]
        definitions[f"d{index}"] = {"type": "object", "properties": properties, "required": needed}
    return {"$defs": definitions, **reference(0)}


def breaks(edges: list[dict[int, bool]], narrowed: set[int]) -> bool:
    finite: set[int] = set()
    for _ in edges:
        finite |= {i for i, others in enumerate(edges) if all(o in finite for o, must in others.items() if must)}
    reached, pending = set[int](), [0]
    while pending:
        here = pending.pop()
        if here in finite and here not in reached:
            reached.add(here)
            pending += edges[here]
    return bool(reached & narrowed)


@settings(deadline=None, max_examples=300)
@given(graphs())
def test_any_web_is_decided_as_its_graph_says(graph: tuple[list[dict[int, bool]], set[int], set[int]]) -> None:
    edges, narrowed, widened = graph
    old, new = document(edges, set(), set()), document(edges, narrowed, widened)
    assert compare(old, new).verdict == ("incompatible" if breaks(edges, narrowed) else "compatible")


# What a proof may lean on.

G = [frozenset({number}) for number in range(1, 6)]


def asked(answers: Answers, *goals: frozenset[int]) -> None:
    for goal in goals:
        assert answers.known(goal) is OPEN
        answers.ask(goal)


def test_a_proof_that_leans_on_an_open_goal_holds_below_it() -> None:
    answers = Answers()
    asked(answers, G[0], G[1])
    assert answers.known(G[0]) is NOTHING
    answers.settle(G[1], NOTHING)
    asked(answers, G[2])
    assert answers.known(G[1]) is NOTHING
    answers.settle(G[2], NOTHING)
    assert answers.known(G[2]) is NOTHING


@pytest.mark.parametrize(("value", "after"), [(NOTHING, NOTHING), ("a value", OPEN), (OPEN, OPEN)])
def test_it_ends_as_the_goal_it_leans_on(value: object, after: object) -> None:
    answers = Answers()
    asked(answers, G[0], G[1], G[2])
    assert answers.known(G[1]) is NOTHING
    answers.settle(G[2], NOTHING)  # leans on the second
    assert answers.known(G[0]) is NOTHING
    answers.settle(G[1], NOTHING)  # leans on the first, and now the third does
    answers.settle(G[0], value)
    assert [answers.known(goal) for goal in G[:3]] == [value, after, after]


def test_a_proof_that_leans_on_nothing_stays() -> None:
    answers = Answers()
    asked(answers, G[0], G[1])
    answers.settle(G[1], NOTHING)
    answers.settle(G[0], "a value")
    assert answers.known(G[1]) is NOTHING


def test_a_question_aside_knows_what_is_final_and_leans_on_nothing() -> None:
    answers = Answers()
    asked(answers, G[0], G[1])
    answers.settle(G[1], "a value")
    aside = answers.aside()
    assert (aside.known(G[0]), aside.known(G[1])) == (OPEN, "a value")
