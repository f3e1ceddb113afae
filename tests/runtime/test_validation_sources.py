"""Validation errors from what validators raise: pydantic, jsonschema, jsonschema-rs, and what wraps them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import jsonschema
import jsonschema_rs
import pydantic
import pytest
import referencing
from pydantic_core import core_schema

from fusion_contracts import explain_validation
from fusion_contracts.runtime.from_pydantic import family


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    age: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]
    name: str


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    pet: Annotated[Cat | Dog, pydantic.Field(discriminator="kind")] = Cat(kind="cat", age=1)
    either: int | list[int] | Cat | None = None
    rows: list[dict[str, int]] = []
    style: str = pydantic.Field(default="", alias="styleId", description="The style to use.")
    numbers: dict[int, str] = {}
    option: Literal["a", "b", 3] = "a"
    word: Annotated[str, pydantic.Field(min_length=3, max_length=5, pattern="^[a-z]+$")] = "abc"
    count: Annotated[int, pydantic.Field(ge=1, lt=10, multiple_of=2)] = 2
    tags: Annotated[list[str], pydantic.Field(min_length=1, max_length=2)] = ["a"]
    when: pydantic.AwareDatetime | None = None
    site: pydantic.HttpUrl | None = None
    flag: bool = False
    as_label: str = pydantic.Field(default="", alias="int")  # called as a label of a union is

    @pydantic.field_validator("word")
    @classmethod
    def check(cls, value: str) -> str:
        if value == "weak":
            raise ValueError("choose a stronger word")
        return value


def explained(sent: Any, **options: Any) -> dict[str, str]:
    """The lines for a call of the model, by field."""
    with pytest.raises(pydantic.ValidationError) as caught:
        Model.model_validate(sent)
    report = explain_validation(caught.value, sent, action="m", **options)
    return {issue.name: issue.line() for issue in report.issues}


@pytest.mark.parametrize(
    ("sent", "lines"),
    [
        ({"pet": {"kind": "cat"}}, {"pet.age": "Missing."}),
        (
            {"pet": {"kind": "bird"}},
            {"pet.kind": "Not an allowed value. You sent: 'bird'. Expected one of 'cat', 'dog'."},
        ),
        ({"pet": {}}, {"pet.kind": "Missing."}),
        ({"either": {"kind": "cat", "age": "x"}}, {"either.age": "Wrong type. You sent: 'x'. Expected an integer."}),
        ({"either": "q"}, {"either": "Wrong type. You sent: 'q'. Expected an integer or a list or an object."}),
        ({"either": [1, "q"]}, {"either[1]": "Wrong type. You sent: 'q'. Expected an integer."}),
        (
            {"rows": [{"a": 1}, {"list[int]": "x"}]},
            {"rows[1].list[int]": "Wrong type. You sent: 'x'. Expected an integer."},
        ),
        ({"styleId": 3}, {"styleId": "Wrong type. You sent: 3. Expected a string."}),
        ({"numbers": {"k": "v"}}, {"numbers.k": "The name of this key is not accepted. Expected another key."}),
        ({"option": "B"}, {"option": "Not an allowed value: wrong spelling. You sent: 'B'. Expected 'b'."}),
        ({"option": "c"}, {"option": "Not an allowed value. You sent: 'c'. Expected one of 'a', 'b', 3."}),
        ({"word": "a"}, {"word": "Too short. You sent: 'a'. Expected at least 3 characters."}),
        (
            {"word": "ABC"},
            {"word": "Does not match the pattern. You sent: 'ABC'. Expected a string that matches ^[a-z]+$."},
        ),
        ({"word": "weak"}, {"word": "choose a stronger word. You sent: 'weak'."}),
        ({"count": 0}, {"count": "Too small. You sent: 0. Expected at least 1."}),
        ({"count": 10}, {"count": "Too large. You sent: 10. Expected less than 10."}),
        ({"count": 3}, {"count": "Not a multiple. You sent: 3. Expected a multiple of 2."}),
        ({"count": 2.5}, {"count": "Wrong type. You sent: 2.5. Expected an integer."}),
        ({"tags": []}, {"tags": "Too few items. You sent: an empty list. Expected at least 1 item."}),
        (
            {"when": "soon"},
            {
                "when": "Invalid date-time format. You sent: 'soon'. "
                "Expected a date and time such as 2026-01-31T10:30:00Z."
            },
        ),
        ({"site": "x"}, {"site": "Invalid uri format. You sent: 'x'. Expected a valid URL."}),
        ({"flag": "maybe"}, {"flag": "Wrong type. You sent: 'maybe'. Expected true or false."}),
        ({"int": 3}, {"int": "Wrong type. You sent: 3. Expected a string."}),
        ({"zz": {"a": 1}}, {"zz": "Unknown argument. You sent: an object with 1 key. Expected it to be left out."}),
    ],
)
def test_pydantic_by_the_path_of_the_argument(sent: Any, lines: dict[str, str]) -> None:
    assert explained(sent) == lines


def test_a_schema_adds_what_the_error_does_not_say() -> None:
    lines = explained({"styleid": "x"}, schema=Model.model_json_schema())
    assert lines == {"styleid": "Unknown argument. You sent: 'x'. Expected styleId instead, a string."}
    with pytest.raises(pydantic.ValidationError) as caught:
        Model.model_validate({"styleid": "x", "count": "4", "either": "q"})
    sent = {"styleid": "x"}
    report = explain_validation(caught.value, sent, action="m", schema=Model.model_json_schema())
    assert report.suggested_arguments == {"styleId": "x"}


def test_a_model_is_a_schema_too() -> None:
    assert [issue.name for issue in explain_validation(Cat, {"kind": "cat"}, action="m").issues] == ["age"]


def test_arguments_of_a_function() -> None:
    @pydantic.validate_call
    def tool(page_id: int, *, url: str) -> None:
        """Take two arguments."""

    with pytest.raises(pydantic.ValidationError) as caught:
        tool(pageId=1, url=2)  # type: ignore[call-arg,arg-type]
    report = explain_validation(caught.value, {"pageId": 1, "url": 2}, action="tool")
    assert {issue.name: issue.line() for issue in report.issues} == {
        "page_id": "Missing. You sent: pageId 1.",
        "url": "Wrong type. You sent: 2. Expected a string.",
    }


def test_every_error_type_of_pydantic_has_words() -> None:
    kinds = get_args(core_schema.ErrorType)
    assert len(kinds) > 100
    unknown = {kind for kind in kinds if family(kind, {}, "said")[0] == "other"}
    assert unknown <= {  # the fallback gives pydantic's own sentence; which of these there are depends on its release
        "no_such_attribute",
        "string_sub_type",
        "json_invalid",
        "json_type",
        "needs_python_object",
        "recursion_loop",
        "recursion_depth_exceeded",
        "frozen_field",
        "frozen_instance",
        "invalid_key",
        "get_attribute_error",
        "default_factory_not_called",
        "iteration_error",
        "string_not_ascii",
        "set_item_not_hashable",
        "bytes_invalid_encoding",
        "value_error",
        "assertion_error",
        "ellipsis_error",
        "date_from_datetime_inexact",
        "date_past",
        "date_future",
        "datetime_object_invalid",
        "datetime_past",
        "datetime_future",
        "timezone_naive",
        "timezone_aware",
        "timezone_offset",
        "is_instance_of",
        "is_subclass_of",
        "callable_type",
        "multiple_argument_values",
        "union_tag_invalid",
        "union_tag_not_found",
        "decimal_max_digits",
        "decimal_max_places",
        "decimal_whole_digits",
        "unexpected_positional_argument",
    }
    assert family("a_type_of_the_future", {}, "said") == ("other", "said")


@pytest.mark.parametrize("kind", get_args(core_schema.ErrorType))
def test_no_error_type_of_pydantic_makes_it_raise(kind: Any) -> None:
    context: dict[str, Any] = dict.fromkeys(
        [
            "error",
            "attribute",
            "method_name",
            "class_name",
            "expected",
            "pattern",
            "encoding",
            "class",
            "discriminator",
            "tag",
            "expected_tags",
            "object_type",
            "field_type",
            "expected_schemes",
            "encoding_error",
        ],
        "x",
    )
    context |= dict.fromkeys(
        [
            "gt",
            "ge",
            "lt",
            "le",
            "multiple_of",
            "min_length",
            "max_length",
            "actual_length",
            "expected_version",
            "max_digits",
            "decimal_places",
            "whole_digits",
            "tz_expected",
            "tz_actual",
        ],
        3,
    )
    error = pydantic.ValidationError.from_exception_data(
        "m", [{"type": kind, "loc": ("a", 0, "b"), "input": object(), "ctx": context}]
    )
    assert explain_validation(error, {"a": [{"b": 1}]}, action="m").to_xml().startswith("<validation_error")


SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "number"},
        "b": {"type": "string", "description": "The second."},
        "u": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"k": {"type": "number"}}}]},
        "e": {"enum": ["x", "y"]},
    },
    "required": ["a", "b"],
    "additionalProperties": False,
    "dependentRequired": {"e": ["a"]},
}
SENT = {"u": {"k": "x"}, "zz": {"n": 1}, "e": "X"}


def test_jsonschema_says_the_same_as_schema_and_arguments() -> None:
    errors = list(jsonschema.Draft202012Validator(SCHEMA, registry=referencing.Registry()).iter_errors(SENT))
    again = explain_validation(errors, SENT, action="j", schema=SCHEMA)
    direct = explain_validation(SCHEMA, SENT, action="j")
    assert {issue.line() for issue in again.issues} == {issue.line() for issue in direct.issues}
    assert len(direct.issues) == 5


def test_a_flag_of_draft_04_beside_its_bound_is_told_with_it() -> None:
    bounds = {"minimum": 0, "exclusiveMinimum": True, "maximum": 9}
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"a": bounds, "b": bounds}}
    errors = list(jsonschema.Draft4Validator(schema).iter_errors({"a": 0, "b": 10}))
    issues = explain_validation(errors, {"a": 0, "b": 10}, action="t").issues
    assert [issue.line() for issue in issues] == [
        "Too small. You sent: 0. Expected more than 0.",
        "Too large. You sent: 10. Expected at most 9.",
    ]


def test_jsonschema_rs_says_the_same_as_schema_and_arguments() -> None:
    errors = list(jsonschema_rs.validator_for(SCHEMA).iter_errors(SENT))
    again = explain_validation(errors, SENT, action="j", schema=SCHEMA)
    assert again == explain_validation(SCHEMA, SENT, action="j")


def test_a_single_error_without_a_schema() -> None:
    with pytest.raises(jsonschema.ValidationError) as caught:
        jsonschema.validate({"u": {"k": "x"}, "a": 1, "b": ""}, SCHEMA)
    report = explain_validation(caught.value, {"u": {"k": "x"}}, action="j")
    assert [issue.line() for issue in report.issues] == ["Wrong type. You sent: 'x'. Expected a number."]


def test_an_error_that_wraps_the_validators() -> None:
    sent = {"kind": "cat", "age": "x"}
    with pytest.raises(pydantic.ValidationError) as caught:
        Cat.model_validate(sent)
    outer = RuntimeError("bad arguments")
    outer.__cause__ = caught.value
    assert [issue.name for issue in explain_validation(outer, sent, action="c").issues] == ["age"]


def test_any_other_error_is_one_line() -> None:
    report = explain_validation(ValueError("no such thing"), {"a": 1}, action="c")
    assert [issue.line() for issue in report.issues] == ["no such thing."]


def test_messages_of_validators_repeat_no_nested_value() -> None:
    schema = {"properties": {"o": {"contains": {"const": 1}, "contentEncoding": "base64"}}}
    sent = {"o": [{"inner": "value"}]}
    errors = list(jsonschema.Draft202012Validator(schema, registry=referencing.Registry()).iter_errors(sent))
    assert "inner" not in explain_validation(errors, sent, action="c").to_xml()
    assert "inner" not in explain_validation(schema, sent, action="c").to_xml()
