"""Spellings of older drafts and of careless programs, in schemas that name no dialect or another one."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.schema import changes, compare, explain
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


LATER = DIALECTS[2]
TWO_READINGS = {
    "dependencies since 2019-09": (
        {"type": "object", "properties": {"a": S, "b": S}, "dependencies": {"a": ["b"]}},
        {"type": "object", "properties": {"a": S, "b": S}},
        None,
    ),
    "dependencies since 2019-09, with a schema": (
        {"type": "object", "properties": {"a": S, "b": S}, "dependencies": {"a": {"required": ["b"]}}},
        {"type": "object", "properties": {"a": S, "b": S}},
        LATER,
    ),
    "contains beside unevaluatedItems in 2019-09": (
        {"type": "array", "contains": {"type": ["string", "integer"]}, "unevaluatedItems": {**N, "minimum": 3}},
        {"type": "array", "contains": {"type": ["string", "integer"]}, "unevaluatedItems": N},
        LATER,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWO_READINGS)
def test_of_two_readings_each_counts(name: str) -> None:
    narrow, wide, uri = TWO_READINGS[name]
    assert compare(schema(narrow, uri), schema(wide, uri)).verdict == "compatible"
    answer = compare(schema(wide, uri), schema(narrow, uri))
    assert answer.verdict == "undecided"
    assert answer.reason == f"validators differ about {name.removesuffix(', with a schema')}"


@pytest.mark.parametrize("name", TWO_READINGS)
def test_a_change_beside_what_has_two_readings_is_decided(name: str) -> None:
    part, _, uri = TWO_READINGS[name]
    old, new = (schema(part, uri) for _ in "ab")
    new["properties"]["q"] = {**S, "maxLength": 3}
    answer = compare(old, new)
    assert (answer.verdict, answer.witness["q"]) == ("incompatible", "aaaa")
    assert compare(new, old).verdict == "compatible"


ASKING = {"type": "object", "properties": {"a": S, "b": S, "q": S}, "dependencies": {"a": ["b"], "q": {"required": []}}}


@pytest.mark.parametrize(
    ("changed", "witness"),
    [
        pytest.param({"properties": {"a": N, "b": S, "q": S}}, {"b": "x", "a": "x"}, id="holds in both readings"),
        pytest.param({"required": ["a"]}, {}, id="another keyword of that object"),
        pytest.param({"minProperties": 1}, {}, id="a keyword that no list of arguments has"),
    ],
)
def test_a_change_of_the_object_itself_has_a_witness_in_both_readings(changed: Any, witness: Any) -> None:
    answer = compare(ASKING, {**ASKING, **changed})
    assert (answer.verdict, answer.witness) == ("incompatible", witness)


def test_what_the_readings_differ_about_is_undecided_beside_what_breaks() -> None:
    old = {key: part for key, part in ASKING.items() if key != "dependencies"}
    new = {**ASKING, "properties": {"a": S, "b": S, "q": N}}
    found = {type(edit.change).__name__: edit.effect for edit in explain(old, new, arguments=True).edits}
    assert found == {"TypesChanged": "breaks", "KeywordChanged": "undecided"}


def test_a_schema_that_counts_in_one_reading_evaluates_in_that_one_alone() -> None:
    old = {"type": "object", "properties": {"a": S}, "additionalProperties": S}
    new = {"type": "object", "dependencies": {"a": {"properties": {"a": S, "b": S}}}, "unevaluatedProperties": False}
    assert compare({**old, "properties": {"b": S}}, new).witness == {"b": "x"}
    assert compare({**old, "required": ["a"]}, new).verdict == "undecided"


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


@pytest.mark.parametrize(
    "part",
    [
        {"type": "array", "items": {"type": "file"}},
        {"type": "object", "properties": {"a": {"type": "str"}, "b": {"$ref": "#/$defs/none"}}},
        {"type": "object", "additionalProperties": "string"},
        {"type": "array", "prefixItems": [S], "items": [N]},
        {"allOf": []},
        {"allOf": [{"not": {"type": "array", "minItems": 1, "items": {"pattern": "("}}}]},
        {"$id": "#p", **S},
        {**S, "pattern": r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$"},
        {"type": "object", "patternProperties": {r"^[\w-.]+$": S}},
    ],
)
def test_what_cannot_be_read_inside_hides_no_break_where_a_value_need_not_touch_it(part: Any) -> None:
    beside: tuple[dict[str, Any], ...] = ({}, {"minProperties": 1})
    for more in beside:
        old, new = schema(part, **more), schema(part, properties={"p": part, "q": N}, **more)
        assert compare(old, new).verdict == "incompatible"
        old, new = ({**side, "required": ["q"]} for side in (old, new))
        assert compare(old, new).witness == {"q": "x"}


@pytest.mark.parametrize("part", [{"type": "file"}, {"$ref": "#/$defs/none"}, {"$ref": "other.json"}, "string"])
def test_what_may_be_left_out_is_not_judged(part: Any) -> None:
    more: dict[str, Any] = {"required": ["q"], "$defs": {"r": S}}
    old = schema(part, properties={"p": part, "q": S, "r": {"$ref": "#/$defs/r"}}, **more)
    new = {**old, "properties": {**old["properties"], "r": N}}
    assert compare(old, new).witness == {"q": "x", "r": "x"}


UNKNOWN = {"type": "file", "description": "What to send."}


@pytest.mark.parametrize(
    ("part", "witness"),
    [
        pytest.param({**UNKNOWN, "default": "a.txt"}, {"p": "a.txt", "q": "x"}, id="as the contract shows it"),
        pytest.param({**S, "maxLength": "5", "examples": [7, "b"]}, {"p": "b", "q": "x"}, id="fits what is read"),
        pytest.param(UNKNOWN, None, id="shown nowhere"),
        pytest.param({"$ref": "other.json"}, None, id="elsewhere"),
        pytest.param("string", None, id="no schema at all"),
    ],
)
def test_what_every_call_holds_need_not_be_read_to_see_another_argument_break(part: Any, witness: Any) -> None:
    shared: dict[str, Any] = {"$defs": {"r": S}}
    old, new = (
        schema(part, properties={"p": part, "q": q, "r": r}, **shared) for q, r in ((S, {"$ref": "#/$defs/r"}), (N, {}))
    )
    explanation = explain(old, new, arguments=True)
    assert explanation.comparison.verdict == "undecided"
    first, second = explanation.edits
    assert (first.effect, first.has_witness, first.witness) == ("breaks", witness is not None, witness)
    assert second.effect == "safe"


NONE = {"type": "file", "examples": []}


@pytest.mark.parametrize(
    ("part", "effects"),
    [
        pytest.param({"type": "blob"}, {"p": "undecided", "q": "breaks"}, id="it is another one"),
        pytest.param(S, {"p": "undecided", "q": "breaks"}, id="it can be read now"),
        pytest.param(False, {"p": "breaks", "q": "breaks"}, id="it is forbidden"),
    ],
)
def test_a_change_of_what_cannot_be_read_is_asked_about_by_itself(part: Any, effects: dict[str, str]) -> None:
    edits = explain(schema(NONE), schema(part, properties={"p": part, "q": N}), arguments=True).edits
    assert {edit.change.place.path: edit.effect for edit in edits} == effects
    assert not any(edit.has_witness for edit in edits)


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({**S, "pattern": r"(a)\1", "enum": ["b"]}, id="nothing it shows fits"),
        pytest.param({"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 10**5}, id="few"),
    ],
)
def test_where_no_call_worked_nothing_breaks_beside_what_cannot_be_read(part: Any) -> None:
    explanation = explain(schema(part), schema(part, properties={"p": part, "q": N}), arguments=True)
    assert explanation.comparison.verdict == "compatible"
    assert [edit.effect for edit in explanation.edits] == ["safe"]


def test_the_whole_that_takes_the_blame_beside_what_cannot_be_read_is_as_it_is_written() -> None:
    old = schema(UNKNOWN, properties={"p": UNKNOWN, "q": {"items": {"maximum": 2}}})
    new = schema(UNKNOWN, properties={"p": UNKNOWN, "q": {"unevaluatedItems": {"maximum": 1}}})
    change = explain(old, new, arguments=True).edits[0].change
    assert isinstance(change, changes.SchemaReplaced)
    assert (change.before, change.after) == (old, new)


def test_where_it_refers_to_what_changes_nothing_beside_it_is_decided() -> None:
    part = {"type": "file", "allOf": [{"$ref": "#/$defs/r"}]}
    before: dict[str, Any] = {"$defs": {"r": S}}
    after: dict[str, Any] = {"$defs": {"r": N}}
    old, new = schema(part, **before), schema(part, properties={"p": part, "q": N}, **after)
    assert {edit.effect for edit in explain(old, new, arguments=True).edits} == {"undecided"}


def test_what_cannot_be_read_leaves_a_proof_beside_it_alone() -> None:
    old, new = schema(NONE, minProperties=1), schema({"type": "blob"}, minProperties=1)
    old["properties"]["q"] = {**S, "maxLength": 3}
    found = {edit.change.place.path: edit.effect for edit in explain(old, new, arguments=True).edits}
    assert found == {"p": "undecided", "q": "safe"}


def test_what_leads_to_what_cannot_be_read_is_undecided() -> None:
    old = schema(UNKNOWN, properties={"p": UNKNOWN, "q": {"$ref": "#/properties/p"}})
    edits = explain(old, schema(UNKNOWN, properties={"p": UNKNOWN, "q": N}), arguments=True).edits
    assert {(edit.effect, edit.reason) for edit in edits} == {
        ("undecided", 'cannot read type "file"'), ("safe", ""),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "file"}, {"type": "blob"}),
        ({"type": ["string", "file"]}, {"type": ["blob", "string"]}),
        ("string", "integer"),
        ({"properties": "a"}, {"properties": "b"}),
        ({"properties": ["a"]}, {"properties": ["b"]}),
        ({"required": "a"}, {"required": "b"}),
        ({"patternProperties": "a"}, {"patternProperties": "b"}),
        ({"dependentRequired": "a"}, {"dependentRequired": "b"}),
        ({"dependentRequired": {"a": "b"}}, {"dependentRequired": {"a": "c"}}),
        ({"dependentSchemas": "a"}, {"dependentSchemas": "b"}),
        ({"prefixItems": "a"}, {"prefixItems": "b"}),
    ],
)
def test_what_cannot_be_read_and_changes_is_told_beside_what_breaks(before: Any, after: Any) -> None:
    old, new = (schema(part, required=["q"], properties={"p": part, "q": q}) for part, q in ((before, S), (after, N)))
    found = {edit.change.place.path[0]: edit.effect for edit in explain(old, new, arguments=True).edits}
    assert found == {"p": "undecided", "q": "breaks"}


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
