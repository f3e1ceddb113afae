"""What must be sent now, in a report, is what the runtime then asks for."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts import diff, explain_validation
from fusion_contracts.diff import Finding
from fusion_contracts.model import ServerContract, Tool
from fusion_contracts.report.refusal import call


def broken(old: Any, new: Any) -> Finding:
    """The finding about an argument whose schema changed so."""
    return between(schema(old), schema(new))


def between(old: Any, new: Any) -> Finding:
    """The finding about a tool whose schema changed so."""
    sides = [ServerContract("s", tools={"t": Tool("t", one)}) for one in (old, new)]
    (found,) = (one for one in diff(*sides).findings if one.level.name == "BREAKING")
    return found


def schema(argument: Any) -> Any:
    return {"type": "object", "properties": {"f": argument}, "required": ["f"]}


TEXT, NUMBER, LIST = {"type": "string"}, {"type": "number"}, {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({"enum": ["a", "b", "c"]}, {"enum": ["a", "b"]}, "one of 'a', 'b'"),
        (TEXT, {**TEXT, "enum": ["a", "b"]}, "one of 'a', 'b'"),
        ({"const": "a"}, {"const": "b"}, "'b'"),
        ({"enum": [1, 2, None]}, {"enum": [1, 2]}, "one of 1, 2"),
        (NUMBER, {"type": "integer"}, "an integer"),
        (TEXT, NUMBER, "a number"),
        ({"type": ["boolean", "array", "null"]}, {"type": ["boolean", "null"]}, "true or false or null"),
        ({"type": ["object", "null"]}, {"type": "object"}, "an object"),
        ({**NUMBER, "minimum": 1}, {**NUMBER, "minimum": 2}, "at least 2"),
        (NUMBER, {**NUMBER, "exclusiveMinimum": 2}, "more than 2"),
        ({**NUMBER, "maximum": 100}, {**NUMBER, "maximum": 10}, "at most 10"),
        (NUMBER, {**NUMBER, "exclusiveMaximum": 1.5}, "less than 1.5"),
        ({"type": "integer"}, {"type": "integer", "multipleOf": 5}, "a multiple of 5"),
        (TEXT, {**TEXT, "maxLength": 3}, "at most 3 characters"),
        (TEXT, {**TEXT, "minLength": 1}, "at least 1 character"),
        (LIST, {**LIST, "minItems": 1}, "at least 1 item"),
        (LIST, {**LIST, "maxItems": 2}, "at most 2 items"),
        ({"type": "object"}, {"type": "object", "minProperties": 1}, "at least 1 key"),
        (TEXT, {**TEXT, "pattern": "^[A-Z]+$"}, "a string that matches ^[A-Z]+$"),
    ],
)
def test_the_report_and_the_runtime_use_the_same_words(old: Any, new: Any, wanted: str) -> None:
    finding = broken(old, new)
    verb = "have" if wanted.endswith(("character", "characters", "item", "items", "key")) else "be"
    assert call(finding)[1] == ("now", f"refused: f must {verb} {wanted}")
    text = explain_validation(schema(new), finding.witness, action="t").to_xml()
    assert f" Expected {wanted}.</field>" in text


def test_a_long_list_is_short() -> None:
    finding = broken({"enum": [*"abcdefgh"]}, {"enum": [*"abcdefg"]})
    assert call(finding)[1][1] == "refused: f must be one of 'a', 'b', 'c', 'd', 'e' and 2 more"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # the other branch takes more than the one that changed
        ({"anyOf": [{"enum": ["a", "b"]}, NUMBER]}, {"anyOf": [{"enum": ["a"]}, NUMBER]}, 'refused: f is "b"'),
        # the enum is of the keys' values, and f holds them
        (
            {"type": "object", "additionalProperties": {"enum": [1, 2]}},
            {"type": "object", "additionalProperties": {"enum": [1]}},
            'refused: f is {"extra": 2}',
        ),
        (LIST, {**LIST, "uniqueItems": True}, 'refused: f is ["x", "x"]'),
    ],
)
def test_what_holds_for_a_part_is_not_said_of_the_whole(old: Any, new: Any, told: str) -> None:
    assert call(broken(old, new))[1] == ("now", told)


def test_arguments_keep_their_order_but_where_the_call_is_cut() -> None:
    properties = {"text": TEXT, "shelf": {"enum": ["novel", "poetry"]}}
    new = {**properties, "shelf": {"enum": ["novel"]}}
    both = [{"type": "object", "properties": one, "required": ["text", "shelf"]} for one in (properties, new)]
    finding = between(*both)
    whole = 't {"text": "example", "shelf": "poetry"}'
    assert call(finding)[0] == ("worked", whole)
    assert call(finding, within=len(whole))[0] == ("worked", whole)
    assert call(finding, within=len(whole) - 1)[0] == ("worked", 't {"shelf": "poetry", "text": "example"}')
