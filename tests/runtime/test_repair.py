"""The repaired call: there where it follows from what was sent, and never with a value that nobody sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts import ContractAwareness, explain_validation
from fusion_contracts.model import ServerContract, Tool

STRING = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "style_id": STRING,
        "limit": {"type": "integer"},
        "options": {"type": "object", "properties": {"a": {"type": "number"}}},
        "tags": {"type": "array", "items": STRING},
        "format": {"enum": ["png", "jpeg"]},
        "wait": {"type": "boolean"},
        "token": STRING,
    },
    "required": ["style_id"],
    "additionalProperties": False,
}
REPEAT = "Call the tool again with suggested_arguments. Do not explain the error."
FIX = "Fix the fields above and call the tool again. Do not explain the error."


def suggestion(schema: Any, arguments: Any, **options: Any) -> Any:
    """What the text suggests; the typed report says the same, and the recovery fits."""
    report = explain_validation(schema, arguments, action="t", **options)
    root = ET.fromstring(report.to_xml())  # our own text
    part = root.find("suggested_arguments")
    assert root.findtext("recovery") == (FIX if part is None else REPEAT)
    found = None if part is None else json.loads(str(part.text))
    assert found == report.suggested_arguments
    assert [child.tag for child in root][-2:][0] != "recovery"
    return found


@pytest.mark.parametrize(
    ("sent", "better"),
    [
        ({"styleId": "x"}, {"style_id": "x"}),
        ({"limit": 3, "Style-ID": "x"}, {"limit": 3, "style_id": "x"}),
        ({"style_id": "x", "limit": "5"}, {"style_id": "x", "limit": 5}),
        ({"style_id": "x", "wait": "true"}, {"style_id": "x", "wait": True}),
        ({"style_id": 673}, {"style_id": "673"}),
        ({"style_id": "x", "options": '{"a": 1}'}, {"style_id": "x", "options": {"a": 1}}),
        ({"style_id": "x", "tags": '["a"]'}, {"style_id": "x", "tags": ["a"]}),
        ({"style_id": "x", "tags": [{"item": "a"}, "b"]}, {"style_id": "x", "tags": ["a", "b"]}),
        ({"style_id": "x", "tags": {"item": ["a"]}}, {"style_id": "x", "tags": ["a"]}),
        ({"style_id": "x", "limit": None, "options": None}, {"style_id": "x"}),
        ({"style_id": "x", "limit": "null"}, {"style_id": "x"}),
        ({"style_id": "x", "other": None}, {"style_id": "x"}),
        ({"style_id": "x", "format": "PNG"}, {"style_id": "x", "format": "png"}),
        ({"params": {"style_id": "x"}}, {"style_id": "x"}),
        ({"name": "t", "arguments": {"styleId": "x", "limit": "5"}}, {"style_id": "x", "limit": 5}),
        ({"input": '{"style_id": "x"}'}, {"style_id": "x"}),
        ('{"style_id": "x"}', {"style_id": "x"}),
        ({"style_id": "x", "options": {"a": "1.5"}}, {"style_id": "x", "options": {"a": 1.5}}),
    ],
)
def test_what_was_sent_in_another_form_is_brought_into_form(sent: Any, better: Any) -> None:
    assert suggestion(SCHEMA, sent) == better


@pytest.mark.parametrize(
    "sent",
    [
        {},  # nothing sent, nothing known
        {"style": "x"},  # near, but not the same name
        {"style_id": None},  # null for what must be sent
        {"style_id": "x", "limit": "five"},
        {"style_id": "x", "limit": "05"},  # no JSON number: an id, perhaps
        {"style_id": "x", "tags": "a"},  # one for a list: what else belongs there is not known
        {"style_id": "x", "options": [{"a": 1}]},
        {"style_id": "x", "other": 1},  # to leave a value out changes what the call means
        {"style_id": "x", "format": "gif"},
        {"styleId": "x", "limit": "five"},  # only the whole call counts
        {"styleId": "x" * 601},
        {"styleId": "x", "token": "abc"},  # secret-looking
        [1],
        "hello",
    ],
)
def test_nothing_is_invented_shortened_or_disclosed(sent: Any) -> None:
    assert suggestion(SCHEMA, sent) is None


def test_an_issue_key_is_no_secret() -> None:
    schema = {"type": "object", "properties": {"issue_key": STRING}, "required": ["issue_key"]}
    assert suggestion(schema, {"issueKey": "PROJ-1"}) == {"issue_key": "PROJ-1"}


def test_a_write_only_value_is_no_suggestion() -> None:
    schema = {"type": "object", "properties": {"pin": {"type": "integer", "writeOnly": True}}, "required": ["pin"]}
    assert suggestion(schema, {"pin": "1234"}) is None


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Any, ContractAwareness]:
    """Two versions of one tool, by their properties; all of the new one are required, and it is open."""
    schemas = [
        {"type": "object", "properties": dict(side), "required": sorted(side), "additionalProperties": True}
        for side in (old, new)
    ]
    sides = [ServerContract("s", tools={"t": Tool("t", schema)}) for schema in schemas]
    return schemas[1], ContractAwareness.between(*sides)


def says(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": text, **more}


REF, TARGET = says("Exact target element reference"), says("Exact target element reference, or a selector")


def test_a_value_crosses_a_rename_that_keeps_its_description() -> None:
    schema, awareness = changed({"ref": REF}, {"target": TARGET})
    assert suggestion(schema, {"ref": "e12"}, awareness=awareness) == {"target": "e12"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"ref": REF}, {"target": {**TARGET, "maxLength": 5}}),  # other constraints
        ({"ref": REF}, {"target": {**TARGET, "type": "integer"}}),  # another type
        ({"pageIdx": says("The index of the page")}, {"pageId": says("The ID of the page")}),  # another meaning
        ({"ref": {"type": "string"}}, {"target": {"type": "string"}}),  # nothing says that it is the same
        ({"ref": REF, "selector": REF}, {"target": TARGET}),  # another old one qualifies as well
        ({"ref": REF}, {"target": TARGET, "source": TARGET}),  # and another new one
    ],
)
def test_else_it_does_not(old: Any, new: Any) -> None:
    schema, awareness = changed(old, new)
    sent = dict.fromkeys(old, "e12")
    assert suggestion(schema, sent, awareness=awareness) is None


def test_a_name_that_was_replaced_is_not_taken_for_a_misspelling() -> None:
    page = {"type": "number", "description": "The index of the page to close."}
    schema, awareness = changed({"page_id": page}, {"pageId": {**page, "description": "The ID of a page to close."}})
    assert suggestion(schema, {"page_id": 1}, awareness=awareness) is None


def test_a_null_that_asks_for_another_argument_is_dropped() -> None:
    schema = {"properties": {"a": {}, "b": STRING, "c": STRING}, "dependentRequired": {"a": ["b"]}}
    assert suggestion(schema, {"a": None, "c": "x"}) == {"c": "x"}
    assert suggestion(schema, {"a": 1, "c": "x"}) is None


def test_the_arguments_are_not_touched() -> None:
    sent = {"styleId": "x", "options": '{"a": 1}', "limit": None}
    before = json.dumps(sent)
    suggestion(SCHEMA, sent)
    assert json.dumps(sent) == before


def test_hidden_characters_of_a_value_survive() -> None:
    value = "a\u202e\ufffe\U000e0041\n<&>\U0001f600é"
    assert suggestion(SCHEMA, {"styleId": value}) == {"style_id": value}


def test_unknown_arguments_by_policy() -> None:
    schema = {"type": "object", "properties": {"style_id": STRING}}
    assert not explain_validation(schema, {"styleId": "x"}, action="t")
    assert not explain_validation(schema, {"styleId": "x"}, action="t", unknown="ignore")
    assert suggestion(schema, {"styleId": "x"}, unknown="reject") == {"style_id": "x"}
    warned = explain_validation(schema, {"styleId": "x"}, action="t", unknown="warn")
    assert (warned.warning, warned.is_error) == (True, False)
    assert warned.to_xml() == (
        '<tool_error code="VALIDATION_ERROR" severity="warning">\n'
        "  <message>t was called with unknown arguments: styleId.</message>\n"
        "  <recovery>Leave them out of the next call, or name them as below.</recovery>\n"
        "  <details>\n"
        "    <detail key=\"styleId\">Unknown argument. You sent: 'x'. Expected style_id instead, a string.</detail>\n"
        "  </details>\n"
        "</tool_error>"
    )


def test_auto_refuses_only_what_a_change_names() -> None:
    schema, awareness = changed({"url": STRING, "kept": STRING}, {"kept": STRING})
    assert not explain_validation(schema, {"kept": "x", "extra": 1}, action="t", awareness=awareness)
    report = explain_validation(schema, {"kept": "x", "url": "u"}, action="t", awareness=awareness)
    assert report.to_xml() == (
        '<validation_error action="t">\n'
        "  <field name=\"url\">Unknown argument. You sent: 'u'. Expected only kept.</field>\n"
        "  <contract_awareness>\n"
        f'    <change severity="{awareness.deltas("t")[0].severity}" field="url">removed</change>\n'
        "  </contract_awareness>\n"
        "  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>\n"
        "</validation_error>"
    )
    for policy in ("ignore", "warn"):
        told = explain_validation(schema, {"kept": "x", "url": "u"}, action="t", awareness=awareness, unknown=policy)
        assert told.is_error is False


def test_what_the_schema_refuses_is_among_the_lines_however_many_names_are_gone() -> None:
    kept = {"deep": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    gone = {f"gone{index}": STRING for index in range(12)}
    schema, awareness = changed({**gone, **kept}, kept)
    sent = {**dict.fromkeys(gone, "x"), "deep": {"n": "x"}}
    report = explain_validation(schema, sent, action="t", awareness=awareness)
    assert [issue.name for issue in report.issues] == [*list(gone)[:9], "deep.n"]
    assert report.more == 3


@settings(max_examples=150, deadline=None)
@given(
    sent=st.dictionaries(
        st.sampled_from(["style_id", "styleId", "limit", "options", "tags", "wait", "params", "other"]),
        st.sampled_from(
            [None, "x", "5", 5, 1.5, True, "true", "null", '{"a":1}', {"a": "1"}, [], ["a", 1], {"item": "x"}]
        ),
        max_size=5,
    )
)
def test_whatever_is_suggested_is_accepted(sent: Any) -> None:
    import jsonschema

    better = explain_validation(SCHEMA, sent, action="t").suggested_arguments
    if better is not None:
        jsonschema.Draft202012Validator(SCHEMA).validate(better)
        assert better != sent
