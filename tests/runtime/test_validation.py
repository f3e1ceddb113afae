"""Validation errors from a schema and arguments: every line in the words of the page, whatever was sent."""

from __future__ import annotations

from typing import Any

import pytest
from telling import OBJECT, RENDER, explain, lines, one

from fusion_contracts import explain_validation

SIGNATURE = (
    "render(style_id: string, limit?: integer, options?: object, tags?: string[], "
    "format?: 'png' | 'jpeg', wait?: boolean)"
)


def test_the_page() -> None:
    schema = {**OBJECT, "properties": {"id": {"type": "string", "format": "email"}}}
    report = explain_validation(schema, {"id": "not-an-email"}, action="billing.get_invoice")
    assert report.to_xml() == (
        '<validation_error action="billing.get_invoice">\n'
        "  <field name=\"id\">Invalid email format. You sent: 'not-an-email'. Expected a valid email address.</field>\n"
        "  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>\n"
        "</validation_error>"
    )


def test_a_valid_call_is_an_empty_report() -> None:
    report = explain(RENDER, {"style_id": "x"})
    assert not report
    assert (report.to_xml(), report.issues, report.is_error, report.suggested_arguments) == ("", (), False, None)


@pytest.mark.parametrize(
    ("prop", "value", "line"),
    [
        ({"type": "string"}, 5, "Wrong type. You sent: 5. Expected a string."),
        ({"type": "object"}, "x", "Wrong type. You sent: 'x'. Expected an object."),
        ({"type": "object"}, [1], "A list where an object belongs. You sent: a list of 1 item. Expected an object."),
        (
            {"type": "string"},
            {"a": 1, "b": [2], "c": 3},
            "Wrong type. You sent: an object with 3 keys. Expected a string.",
        ),
        ({"type": "number"}, True, "Wrong type. You sent: true. Expected a number."),
        ({"type": ["string", "null"]}, 1, "Wrong type. You sent: 1. Expected a string or null."),
        ({"type": "string"}, None, "Null is not accepted. You sent: null. Expected a string, or leave it out."),
        ({"type": "integer"}, "null", "Null sent as text. You sent: 'null'. Expected an integer, or leave it out."),
        ({"type": "integer"}, "673", "Number sent as text. You sent: '673'. Expected an integer."),
        ({"type": "boolean"}, "true", "Boolean sent as text. You sent: 'true'. Expected true or false."),
        (
            {"type": "object"},
            '{"a": 1}',
            "JSON sent as text. You sent: text that holds an object with 1 key. Expected an object.",
        ),
        ({"type": "string"}, {"item": "x"}, "Wrapper object. You sent: an object with 1 key. Expected a string."),
        ({"enum": ["a", "b"]}, "c", "Not an allowed value. You sent: 'c'. Expected one of 'a', 'b'."),
        ({"enum": ["png"]}, "PNG", "Not an allowed value: wrong spelling. You sent: 'PNG'. Expected 'png'."),
        ({"enum": ["a", None]}, "c", "Not an allowed value. You sent: 'c'. Expected one of 'a', null."),
        ({"const": 3}, 4, "Not an allowed value. You sent: 4. Expected 3."),
        ({"minimum": 3}, 2, "Too small. You sent: 2. Expected at least 3."),
        ({"exclusiveMinimum": 3}, 3, "Too small. You sent: 3. Expected more than 3."),
        ({"maximum": 3}, 4.5, "Too large. You sent: 4.5. Expected at most 3."),
        ({"exclusiveMaximum": 3}, 3, "Too large. You sent: 3. Expected less than 3."),
        ({"multipleOf": 2}, 3, "Not a multiple. You sent: 3. Expected a multiple of 2."),
        ({"minLength": 1}, "", "Too short. You sent: ''. Expected at least 1 character."),
        ({"maxLength": 2}, "abc", "Too long. You sent: 'abc'. Expected at most 2 characters."),
        ({"minItems": 1}, [], "Too few items. You sent: an empty list. Expected at least 1 item."),
        ({"maxItems": 1}, [1, 2], "Too many items. You sent: a list of 2 items. Expected at most 1 item."),
        ({"maxProperties": 0}, {"a": 1}, "Too many keys. You sent: an object with 1 key. Expected at most 0 keys."),
        ({"uniqueItems": True}, [1, 1], "Repeated items. You sent: a list of 2 items. Expected each item once."),
        (
            {"pattern": "^[A-Z]+$"},
            "x",
            "Does not match the pattern. You sent: 'x'. Expected a string that matches ^[A-Z]+$.",
        ),
        (
            {"not": {"type": "null"}},
            None,
            "Not accepted in this form. You sent: null. Expected another value, or leave it out.",
        ),
        (False, 1, "Not accepted here. You sent: 1. Expected it to be left out."),
        ({"type": "string", "format": "uri"}, "x", "Invalid uri format. You sent: 'x'. Expected a valid URL."),
        ({"type": "number"}, "x" * 70, f"Wrong type. You sent: '{'x' * 57}...' (70 characters). Expected a number."),
        ({"type": "array", "items": {"type": "string"}}, "x", "Wrong type. You sent: 'x'. Expected a list of strings."),
        (
            {"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "string"}},
            "x",
            "Wrong type. You sent: 'x'. Expected a list.",
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
            [],
            "Wrong type. You sent: an empty list. Expected a string or a number.",
        ),
        (
            {"oneOf": [{"type": "number"}, {"type": "integer"}]},
            3,
            "Fits more than one form. You sent: 3. Expected exactly one of the allowed forms.",
        ),
    ],
)
def test_one_line_says_what_was_sent_and_what_is_expected(prop: Any, value: Any, line: str) -> None:
    assert one(prop, value) == line


def test_every_failing_argument_has_its_line() -> None:
    arguments = {"limit": 0, "options": {"a": "x"}, "tags": ["a", 1], "format": "gif", "wait": "maybe", "extra": 1}
    assert lines(explain(RENDER, arguments)) == {
        "style_id": "Missing. Expected a string.",
        "extra": "Unknown argument. You sent: 1. Expected only style_id, limit, options, tags, format, wait.",
        "limit": "Too small. You sent: 0. Expected at least 1.",
        "options.a": "Wrong type. You sent: 'x'. Expected a number.",
        "tags[1]": "Wrong type. You sent: 1. Expected a string.",
        "format": "Not an allowed value. You sent: 'gif'. Expected one of 'png', 'jpeg'.",
        "wait": "Wrong type. You sent: 'maybe'. Expected true or false.",
    }


def test_an_unknown_name_and_the_missing_one_it_stands_for_are_one_line() -> None:
    for sent in ("styleId", "style-id", "STYLE_ID", "stile_id", "theme"):
        assert lines(explain(RENDER, {sent: "x"})) == {"style_id": f"Missing. You sent: {sent} 'x'. Expected a string."}


def test_one_is_paired_even_where_the_schema_lets_unknown_names_through() -> None:
    schema = {key: value for key, value in RENDER.items() if key != "additionalProperties"}
    assert lines(explain(schema, {"styleId": "x"})) == {
        "style_id": "Missing. You sent: styleId 'x'. Expected a string."
    }


def test_a_name_of_another_type_stands_for_nothing() -> None:
    assert lines(explain(RENDER, {"theme": 5})) == {
        "style_id": "Missing. Expected a string.",
        "theme": "Unknown argument. You sent: 5. Expected only style_id, limit, options, tags, format, wait.",
    }


def test_an_unknown_name_near_an_optional_one_is_told_which() -> None:
    found = lines(explain(RENDER, {"style_id": "x", "limits": 5}))
    assert found == {"limits": "Unknown argument. You sent: 5. Expected limit instead, an integer."}


def test_a_missing_argument_carries_what_the_live_contract_says_of_it() -> None:
    described = "The ID of the page to close. Call list_pages to list pages."
    page: dict[str, Any] = {"type": "number", "description": described}
    schema = {**OBJECT, "properties": {"pageId": page}, "required": ["pageId"]}
    assert lines(explain(schema, {"pageIdx": 1}))["pageId"] == (
        f'Missing. You sent: pageIdx 1. Expected a number: "{described}"'
    )
    page["description"] = f"First, of {'many ' * 20}words. {'Second sentence. ' * 20}"
    assert lines(explain(schema, {}))["pageId"] == f'Missing. Expected a number: "First, of {"many " * 20}words."'
    page["description"] = "word " * 100
    text = lines(explain(schema, {}))["pageId"]
    assert len(text) < 200
    assert text.endswith('word..."')


def test_a_wrapper_object_is_named_once() -> None:
    for wrapper in ("params", "arguments", "args", "render"):
        report = explain(RENDER, {wrapper: {"style_id": "x"}})
        expected = "Wrapper object. You sent: an object with 1 key. Expected its keys at the top level: style_id."
        assert lines(report) == {wrapper: expected}
    assert lines(explain(RENDER, {"input": {"style_id": "x", "limit": 0}}))["limit"].startswith("Too small.")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([1, 2], f"Not an object of arguments. You sent: a list of 2 items. Expected {SIGNATURE}."),
        ("hello", f"Not an object of arguments. You sent: text. Expected {SIGNATURE}."),
        (
            '{"style_id":"x"}',
            f"JSON sent as text. You sent: text that holds an object with 1 key. Expected {SIGNATURE}.",
        ),
        (
            {"foo": 1, "bar": 2, "baz": 3},
            f"Not the arguments of this tool. You sent: foo, bar, baz. Expected {SIGNATURE}.",
        ),
    ],
)
def test_arguments_that_are_wholly_wrong_get_the_signature(arguments: Any, line: str) -> None:
    assert lines(explain(RENDER, arguments)) == {"arguments": line}


def test_names_that_are_wrong_in_an_argument_do_not_make_all_arguments_wrong() -> None:
    item = {**OBJECT, "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
    schema = {**OBJECT, "properties": {"id": {"type": "string"}, "title": {"type": "array", "items": item}}}
    assert lines(explain(schema, {"id": "a", "title": [{"x": 1, "y": 2}]})) == {
        "title[0].text": "Missing. Expected a string.",
        "title[0].x": "Unknown argument. You sent: 1. Expected only text.",
        "title[0].y": "Unknown argument. You sent: 2. Expected it to be left out.",
    }


def test_each_name_in_an_object_that_may_hold_none_is_named() -> None:
    empty = {**OBJECT, "additionalProperties": False}
    found = {
        "a": "Unknown argument. You sent: 1. Expected no arguments.",
        "b": "Unknown argument. You sent: an object with 1 key. Expected it to be left out.",
    }
    sent = {"a": 1, "b": {"c": 2}}
    assert lines(explain(empty, sent)) == found
    inside = {**OBJECT, "properties": {"map": {**empty, "propertyNames": {"type": "string"}}}}
    assert lines(explain(inside, {"map": sent})) == {f"map.{name}": line for name, line in found.items()}
    never = {**OBJECT, "properties": {"additionalProperties": False}}
    assert list(lines(explain(never, {"additionalProperties": sent}))) == ["additionalProperties"]


def test_the_signature_of_a_schema_of_an_older_draft_says_what_its_validator_asks() -> None:
    pair = {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "integer"}, "required": True}
    schema = {**OBJECT, "properties": {"pair": pair, "any": {"type": "any"}}}
    assert lines(explain(schema, "x")) == {
        "arguments": "Not an object of arguments. You sent: text. Expected render(pair: array, any?: any)."
    }
    assert lines(explain(schema, {"pair": ["a", "b"]})) == {
        "pair[1]": "Wrong type. You sent: 'b'. Expected an integer."
    }


UNION = {
    **OBJECT,
    "properties": {
        "m": {
            "oneOf": [
                {**OBJECT, "properties": {"t": {"const": "x"}, "v": {"type": "number"}}, "required": ["t", "v"]},
                {**OBJECT, "properties": {"t": {"const": "y"}, "w": {"$ref": "#/$defs/word"}}, "required": ["t", "w"]},
            ]
        }
    },
    "$defs": {"word": {"type": "string", "description": "A word."}},
}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"t": "x", "v": "q"}, {"m.v": "Wrong type. You sent: 'q'. Expected a number."}),
        ({"t": "y"}, {"m.w": 'Missing. Expected a string: "A word."'}),
        ({"t": "z", "v": 1}, {"m.t": "Not an allowed value. You sent: 'z'. Expected one of 'x', 'y'."}),
        ({"v": 1}, {"m.t": "Missing. Expected one of 'x', 'y'."}),
        (3, {"m": "Wrong type. You sent: 3. Expected an object."}),
    ],
)
def test_of_a_union_the_branch_that_was_meant_speaks(value: Any, found: dict[str, str]) -> None:
    assert lines(explain(UNION, {"m": value})) == found


def test_names_that_a_failing_branch_left_unevaluated_are_not_called_unknown() -> None:
    schema = {"allOf": [{"properties": {"a": {"type": "number"}}, "required": ["b"]}], "unevaluatedProperties": False}
    assert lines(explain(schema, {"a": 1})) == {"b": "Missing."}
    assert list(lines(explain(schema, {"a": 1, "b": 2}))) == ["b"]


def test_what_must_be_sent_beside_something_else() -> None:
    schema = {**OBJECT, "properties": {"a": {}, "b": {"type": "string"}}, "dependentRequired": {"a": ["b"]}}
    line = "Missing: needed beside what was sent. Expected a string."
    assert lines(explain(schema, {"a": 1})) == {"b": line}
