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
