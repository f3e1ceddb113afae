"""Spellings of older drafts and of careless programs, in schemas that name no dialect or another one."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.schema import compare, explain
from fusion_contracts.schema.dialect import translate

DIALECTS = (
    None, "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)  # fmt: skip
S, N = {"type": "string"}, {"type": "integer"}


def schema(part: Any, uri: str | None = None, **more: Any) -> dict[str, Any]:
    """An object that asks for p, of this schema, beside q."""
    named = {} if uri is None else {"$schema": uri}
    return {**named, "type": "object", "properties": {"p": part, "q": S}, "required": ["p", "q"], **more}


# what is written, and what it says in 2020-12
READINGS: dict[str, tuple[Any, Any]] = {
    "a flag beside its bound": ({**N, "minimum": 0, "exclusiveMinimum": True}, {**N, "exclusiveMinimum": 0}),
    "both flags": (
        {"minimum": 0, "exclusiveMinimum": False, "maximum": 5, "exclusiveMaximum": True},
        {"minimum": 0, "exclusiveMaximum": 5},
    ),
    "a flag without its bound": ({**N, "exclusiveMaximum": True}, N),
    "any type": ({"type": "any", "minLength": 1}, {"minLength": 1}),
    "any type among others": ({"type": ["string", "any"]}, {}),
    "required of a value that is no property": ({"items": {**S, "required": True}}, {"items": S}),
    "what is asked of properties": (
        {
            "properties": {"a": {**S, "required": True}, "b": {"required": False}, "c": {"required": True}},
            "required": ["c"],
        },
        {"properties": {"a": S, "b": {}, "c": {}}, "required": ["c", "a"]},
    ),
    "null where nothing is meant": (
        {**S, "enum": None, "minLength": None, "format": None, "description": None, "default": None},
        {**S, "default": None},
    ),
    "null for lists and maps": (
        {"type": "object", "properties": None, "required": None, "additionalProperties": None}, {"type": "object"},
    ),
    "null in a list of types": ({"type": ["string", None]}, {"type": ["string", "null"]}),
    "lists for maps without entries": ({"type": "object", "properties": [], "$defs": []}, {"type": "object"}),
    "a property that is named like a keyword": ({"properties": {"required": {"type": "boolean"}}}, None),
    "null that is a value": ({"const": None}, None),
    "null as a type": ({"type": None}, None),
    "a tuple beside prefixItems": ({"prefixItems": [S], "items": [N]}, None),
    "values that look like keywords": ({"default": {"required": True, "items": [1], "a": None}}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_what_has_one_reading_is_read(name: str) -> None:
    written, meant = READINGS[name]
    result = translate(written, "2020-12")
    if meant is None:
        assert result is written
    else:
        assert result == meant


def test_a_tuple_without_a_dialect() -> None:
    pair = {"items": [S, N], "additionalItems": {"$ref": "#/items/1"}}
    assert translate(pair, "2020-12") == {"prefixItems": [S, N], "items": {"$ref": "#/prefixItems/1"}}


@pytest.mark.parametrize(
    ("dialect", "asked"), [("2020-12", ["a"]), ("2019-09", ["a"]), ("draft-07", None), ("draft-04", None)]
)
def test_what_is_asked_beside_a_reference_counts_where_its_siblings_do(dialect: str, asked: Any) -> None:
    written = {"properties": {"a": {"$ref": "#/definitions/a", "required": True}}, "definitions": {"a": S}}
    assert translate(written, dialect).get("required") == asked


def test_what_cannot_be_read_at_the_root_is_told_without_a_place() -> None:
    answer = compare({**S, "dependencies": {"a": ["b"]}}, S)
    assert (answer.verdict, answer.reason) == ("undecided", "validators differ about dependencies in 2020-12")


UNREADABLE = ["a property that is named like a keyword", "null as a type", "a tuple beside prefixItems"]


@pytest.mark.parametrize("uri", DIALECTS)
@pytest.mark.parametrize("name", [name for name in READINGS if name not in UNREADABLE])
def test_a_change_beside_it_is_decided(name: str, uri: str | None) -> None:
    old, new = (schema(READINGS[name][0], uri) for _ in "ab")
    new["properties"]["q"] = {**S, "maxLength": 3}
    answer = compare(old, new)
    assert (answer.verdict, answer.witness["q"]) == ("incompatible", "aaaa")
    assert compare(new, old).verdict == "compatible"


def test_an_edit_of_it_has_its_witness() -> None:
    old, new = (schema({**N, "minimum": least, "exclusiveMinimum": True}) for least in (0, 1))
    (edit,) = explain(old, new, arguments=True).edits
    assert (edit.effect, edit.witness["p"]) == ("breaks", 1)
    assert edit.change.place.old == "/properties/p/exclusiveMinimum"


def test_the_spelling_alone_is_no_change() -> None:
    old = schema({**N, "minimum": 0, "exclusiveMinimum": True})
    assert compare(old, schema({**N, "exclusiveMinimum": 0})).verdict == "compatible"
    assert compare(schema({**N, "exclusiveMinimum": 0}), old).verdict == "compatible"


@pytest.mark.parametrize(
    "part",
    [
        {**S, "examples": {"short": "a"}},
        {**S, "title": ["a"]},
        {"type": ["string", "string"]},
        {"type": "object", "required": ["a", "a"]},
    ],
)
def test_a_form_that_a_validator_refuses_hides_no_break_beside_it(part: Any) -> None:
    old, new = schema(part), schema(part, properties={"p": part, "q": N})
    assert compare(old, new).verdict == "incompatible"


@pytest.mark.parametrize("part", [{"anyOf": []}, {"oneOf": []}, {"type": []}])
def test_a_list_without_a_choice_proves_nothing(part: Any) -> None:
    answer = compare(schema(part), schema(part, properties={"p": part, "q": N}))
    assert answer.verdict == "undecided"
    assert answer.reason == f"cannot read {next(iter(part))} []"


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("value", [{}, {"short": {"maxLength": 1}}, True])
def test_what_is_no_list_of_schemas_proves_nothing(keyword: str, value: Any) -> None:
    answer = compare(S, {**S, keyword: value})
    assert (answer.verdict, answer.reason.partition(" {")[0].partition(" true")[0]) == (
        "undecided", f"cannot read {keyword}",
    )  # fmt: skip


def test_what_is_written_in_an_older_draft_inside_another() -> None:
    inner = {"$schema": "http://json-schema.org/draft-04/schema#", **N, "minimum": 0, "exclusiveMinimum": True}
    assert compare(schema(inner), schema(inner, properties={"p": inner, "q": N})).verdict == "incompatible"


def test_a_dialect_that_is_null_is_none() -> None:
    assert compare({**S, "$schema": None}, {**S, "maxLength": 1}).verdict == "incompatible"
