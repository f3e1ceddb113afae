"""Definitions whose branches refer to each other: few lines, and more ways through them than anybody can try."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.runtime import explain_validation
from fusion_contracts.schema import compare, explain
from fusion_contracts.schema.ways import Ways


def web(size: int, union: str, edited: int | None = None, *, reference: str = "#/$defs/d{}") -> Any:
    """Each definition is a union of a leaf and of all definitions behind it: twice as many ways with each one."""
    definitions = {}
    for one in range(size):
        leaf = {"properties": {f"v{one}": {"type": "integer" if one == edited else "string"}}}
        others = [{"$ref": reference.format(other)} for other in range(one + 1, size)]
        definitions[f"d{one}"] = {"$anchor": f"d{one}", union: [*others, leaf]}
    return {"type": "object", "properties": {"a": {"$ref": reference.format(0)}}, "$defs": definitions}


def circles(size: int, union: str, leaf: Any, *, spelled: bool = False) -> Any:
    """Each definition is a union of a leaf and of all the others: none of the ways through them goes into the value."""
    definitions = {}
    for one in range(size):
        # the same definition, each time written differently
        names = [f"%{0x64:x}{other}" if spelled and (one + other) % 2 else f"d{other}" for other in range(size)]
        others = [{"$ref": f"#/$defs/{name}"} for other, name in enumerate(names) if other != one]
        definitions[f"d{one}"] = {union: [*others, leaf]}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}


VALUE = {"a": {f"v{number}": None for number in range(60)}}


@pytest.mark.parametrize("reference", ["#/$defs/d{}", "#d{}"])
@pytest.mark.parametrize("union", ["anyOf", "oneOf", "allOf"])
def test_a_web_of_branches_ends_undecided(union: str, reference: str) -> None:
    old, new = (web(30, union, edited, reference=reference) for edited in (None, 29))
    answer = compare(old, new)
    assert answer.verdict == "undecided"
    assert answer.reason in {
        "its branches refer to each other in too many ways to judge a value by them",
        "the schemas are too entangled to decide within the step limit",
    }
    for output in (False, True):
        assert explain(old, new, output=output).edits


@pytest.mark.parametrize("union", ["anyOf", "oneOf", "allOf"])
def test_a_small_web_is_decided(union: str) -> None:
    answer = compare(web(8, union), web(8, union, 7))
    assert (answer.verdict, answer.has_witness) == ("incompatible", True)


@pytest.mark.parametrize("union", ["anyOf", "oneOf", "allOf"])
def test_arguments_are_not_judged_by_a_web_for_ever(union: str) -> None:
    told = explain_validation(web(60, union), VALUE, action="save").to_xml()
    assert "Not accepted." in told


def test_ways_are_counted_as_a_validator_goes_them() -> None:
    for size in (5, 10):
        ways = Ways(web(size, "anyOf"))
        # each definition: itself, its leaf, and all that those behind it look at; and the root with one reference
        least = 2**size
        assert not ways.too_many(VALUE)
        assert ways.too_many(VALUE, least)
    assert Ways(web(25, "anyOf")).too_many(VALUE)
    assert not Ways(web(25, "anyOf")).too_many({})


def test_a_union_that_holds_itself_multiplies_with_each_level() -> None:
    schema = {"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]}
    value: Any = {}
    for _ in range(40):
        value = {"a": value}
    assert Ways(schema).too_many(value)
    assert not Ways(schema).too_many({"a": {"a": {}}})


def test_what_refers_to_nothing_has_one_way() -> None:
    wide = {"properties": {f"p{number}": {"anyOf": [{"type": "string"}] * 50} for number in range(500)}}
    assert not Ways(wide).too_many({f"p{number}": None for number in range(500)})


@pytest.mark.parametrize("spelled", [False, True])
@pytest.mark.parametrize("union", ["anyOf", "oneOf", "allOf"])
def test_arguments_are_not_sent_round_circles_for_ever(union: str, spelled: bool) -> None:
    schema = circles(9, union, {"type": ["string", "integer"]}, spelled=spelled)
    told = explain_validation(schema, {"a": 1}, action="save").to_xml()
    assert "Not accepted." in told
    root = {**schema["$defs"]["d0"], "type": "object", "$defs": schema["$defs"]}
    assert "Not accepted." in explain_validation(root, {}, action="save").to_xml()


def test_one_circle_is_gone_round() -> None:
    schema = circles(2, "allOf", {"type": "string"})
    assert not Ways(schema).too_many({"a": 1})
    told = explain_validation(schema, {"a": 1}, action="save").to_xml()
    assert "Expected a string." in told


def test_the_same_definition_written_differently_has_the_same_ways() -> None:
    definitions = {
        f"d{one}": {"anyOf": [{"$ref": f"#/$defs/d{one + 1}"}, {"$ref": f"#/$defs/%64{one + 1}"}]} for one in range(30)
    }
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d30": {"type": "string"}}}
    assert Ways(schema).too_many(1)


def test_documents_within_a_document_have_their_own_ways() -> None:
    parts = [
        {"$id": f"https://example.org/{one}", "anyOf": [{"$ref": f"{one + 1}#/x"}] * 2, "x": {"$ref": f"{one + 1}"}}
        for one in range(60)
    ]
    schema = {"$ref": "https://example.org/0", "$defs": {f"d{number}": part for number, part in enumerate(parts)}}
    assert Ways(schema).too_many(1)
