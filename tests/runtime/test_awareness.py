"""Contract awareness: the right changes of exactly one action, ranked and capped, and nothing where nothing changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts import ContractAwareness, explain_validation, tool_error, unknown_action
from fusion_contracts.model import ServerContract, Tool
from fusion_contracts.runtime.codes import CODES

ID = {"type": "number", "description": "The ID of the page to close. Call list_pages to list pages."}
REF = {"type": "string", "description": "Exact target element reference"}


def takes(properties: Mapping[str, Any], required: list[str] | None = None, *, closed: bool = True) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties), "required": required or []}
    return {**schema, "additionalProperties": False} if closed else schema


def contract(tools: Mapping[str, Any], version: str = "", name: str = "server") -> ServerContract:
    """A server of tools, each given by its input schema or by its fields."""
    made = {
        key: Tool(key, **value) if "input_schema" in value else Tool(key, value) for key, value in sorted(tools.items())
    }
    return ServerContract(name, info={"version": version} if version else {}, tools=made)


INDEX = {"type": "number", "description": "The index of the page to close. Call list_pages to list pages."}
OLD = contract({"close_page": takes({"pageIdx": INDEX}, ["pageIdx"])}, "0.8.1")
NEW = contract({"close_page": takes({"pageId": ID}, ["pageId"])}, "0.13.0")


def texts(awareness: ContractAwareness, action: str) -> list[tuple[str, str, str]]:
    return [(delta.severity, delta.field, delta.text) for delta in awareness.deltas(action)]


def test_a_replaced_argument_whose_meaning_is_in_doubt() -> None:
    awareness = ContractAwareness.between(OLD, NEW)
    schema = NEW.tools["close_page"].input_schema
    text = explain_validation(schema, {"pageIdx": 1}, action="close_page", awareness=awareness).to_xml()
    assert text == (
        '<validation_error action="close_page">\n'
        '  <field name="pageId">Missing. You sent: pageIdx 1. Expected a number: '
        '"The ID of the page to close. Call list_pages to list pages."</field>\n'
        '  <contract_awareness since="0.8.1">\n'
        '    <change severity="BREAKING" field="pageId">replaces pageIdx; do not reuse its value</change>\n'
        "  </contract_awareness>\n"
        "  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>\n"
        "</validation_error>"
    )


def test_a_renamed_argument_whose_value_carries_over() -> None:
    element = {"element": {"type": "string"}}
    old = contract({"browser_click": takes({**element, "ref": REF}, ["ref"])}, "0.0.70")
    target = {"type": "string", "description": "Exact target element reference, or a selector"}
    new = contract({"browser_click": takes({**element, "target": target}, ["target"])})
    awareness = ContractAwareness.between(old, new)
    schema = new.tools["browser_click"].input_schema
    sent = {"element": "Submit", "ref": "e12"}
    assert explain_validation(schema, sent, action="browser_click", awareness=awareness).to_xml() == (
        '<validation_error action="browser_click">\n'
        "  <field name=\"target\">Missing. You sent: ref 'e12'. Expected a string.</field>\n"
        '  <contract_awareness since="0.0.70">\n'
        '    <change severity="BREAKING" field="target">renamed from ref; same value</change>\n'
        "  </contract_awareness>\n"
        '  <suggested_arguments>{"element":"Submit","target":"e12"}</suggested_arguments>\n'
        "  <recovery>Call the tool again with suggested_arguments. Do not explain the error.</recovery>\n"
        "</validation_error>"
    )


def test_a_narrowed_enum() -> None:
    kinds = ["issue", "event", "span", "breadcrumbs"]
    old = contract({"get": takes({"kind": {"enum": kinds}}, ["kind"])}, "0.33.0")
    new = contract({"get": takes({"kind": {"enum": kinds[:2]}}, ["kind"])})
    awareness = ContractAwareness.between(old, new)
    text = explain_validation(awareness.schema("get"), {"kind": "span"}, action="get", awareness=awareness).to_xml()
    assert text == (
        '<validation_error action="get">\n'
        "  <field name=\"kind\">Not an allowed value. You sent: 'span'. Expected one of 'issue', 'event'.</field>\n"
        '  <contract_awareness since="0.33.0">\n'
        "    <change severity=\"BREAKING\" field=\"kind\">no longer accepts 'span', 'breadcrumbs'</change>\n"
        "  </contract_awareness>\n"
        "  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>\n"
        "</validation_error>"
    )


STRING, NULLABLE = {"type": "string"}, {"type": ["string", "null"]}


@pytest.mark.parametrize(
    ("old", "new", "delta"),
    [
        (takes({"a": STRING}), takes({}), ("BREAKING", "a", "removed")),
        (takes({"a": STRING}), takes({"a": STRING}, ["a"]), ("BREAKING", "a", "now required")),
        (takes({}), takes({"a": STRING}, ["a"]), ("BREAKING", "a", "new and required")),
        (takes({"a": NULLABLE}), takes({"a": STRING}), ("BREAKING", "a", "no longer takes null")),
        (
            takes({"a": STRING}),
            takes({"a": {"type": "object"}}),
            ("BREAKING", "a", "no longer takes string; takes object now"),
        ),
        (takes({"a": STRING}), takes({"a": {**STRING, "pattern": "^x"}}), ("BREAKING", "a", "must match ^x")),
        (takes({"a": STRING}), takes({"a": {**STRING, "minLength": 2}}), ("BREAKING", "a", "minLength is 2 now")),
        (takes({"a": STRING}), takes({"a": {**STRING, "default": "x"}}), ("RISKY", "a", "default is 'x' now")),
        (takes({"a": STRING}, closed=False), takes({"a": STRING}), ("RISKY", "", "unknown arguments are refused now")),
        (
            takes({"a": {**STRING, "description": "One."}}),
            takes({"a": {**STRING, "description": "Two."}}),
            ("RISKY", "a", "description reworded"),
        ),
    ],
)
def test_changes_in_few_words(old: Any, new: Any, delta: tuple[str, str, str]) -> None:
    assert texts(ContractAwareness.between(contract({"t": old}), contract({"t": new})), "t") == [delta]


def test_nested_arguments_are_named_as_they_are_sent() -> None:
    def form(item: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
        return takes({"fields": {"type": "array", "items": takes(item, required)}})

    target = {"type": "string", "description": "Exact target element reference, or a selector"}
    old, new = (
        contract({"t": form({"ref": REF}, ["ref"])}, "1"),
        contract({"t": form({"target": target}, ["target"])}),
    )
    awareness = ContractAwareness.between(old, new)
    assert texts(awareness, "t") == [("BREAKING", "fields[].target", "renamed from ref; same value")]
    sent = {"fields": [{"ref": "e1"}]}
    report = explain_validation(awareness.schema("t"), sent, action="t", awareness=awareness)
    assert [issue.line(brief=True) for issue in report.issues] == ["Missing. You sent: ref 'e1'. Expected a string."]
    assert report.suggested_arguments == {"fields": [{"target": "e1"}]}


def test_what_went_inside_a_value_of_another_type_is_told_by_that_type() -> None:
    old = contract({"t": takes({"place": takes({"x": {"type": "number"}, "y": {"type": "number"}})})})
    awareness = ContractAwareness.between(old, contract({"t": takes({"place": STRING})}))
    assert texts(awareness, "t") == [("BREAKING", "place", "no longer takes object; takes string now")]
    sent = {"place": {"x": 1, "y": 2}}
    report = explain_validation(awareness.schema("t"), sent, action="t", awareness=awareness)
    assert [issue.name for issue in report.issues] == ["place"]


def test_hints_and_annotations_alone_are_not_told() -> None:
    old = {"input_schema": takes({"a": STRING}), "annotations": {"readOnlyHint": True, "category": "A"}}
    new = {"input_schema": takes({"a": STRING}), "annotations": {"category": "B"}}
    awareness = ContractAwareness.between(contract({"t": old}), contract({"t": new}))
    assert awareness.deltas("t") == ()
    error = "<validation_error>\n  <recovery>x</recovery>\n</validation_error>"
    assert awareness.enrich(error, "t") is error
    newer = {"input_schema": takes({}), "annotations": {"category": "B"}}
    shown = texts(ContractAwareness.between(contract({"t": old}), contract({"t": newer})), "t")
    assert shown[0][2] == "removed"
    assert not any("category" in text for _, _, text in shown)
    assert len(shown) == 2  # the lost hint stands behind it


def many(count: int) -> ContractAwareness:
    old = contract({"t": takes({f"a{index}": STRING for index in range(count)}, closed=False)}, "1")
    new = contract({"t": takes({f"a{index}": STRING for index in range(count)}, [f"a{i}" for i in range(count)])})
    return ContractAwareness.between(old, new)


def test_failing_fields_first_then_the_worst_and_never_more_than_the_cap() -> None:
    awareness = many(9)
    root = ET.fromstring(awareness.render("t", ["a7", "a8"]))  # our own text
    fields = [change.get("field") for change in root]
    assert fields == ["a7", "a8", "a0", "a1", "a2"]
    assert (root.get("since"), root.get("shown"), root.get("total")) == ("1", "5", "10")
    assert [delta.severity for delta in awareness.deltas("t")] == ["BREAKING"] * 9 + ["RISKY"]


def test_counts_stand_only_where_something_was_left_out() -> None:
    block = ET.fromstring(many(4).render("t"))  # our own text
    assert (len(block), block.get("shown"), block.get("total")) == (5, None, None)
    assert len(ET.fromstring(ContractAwareness(NEW, many(9).deltas("t"), cap=2).render("t"))) == 2  # our own text


ERROR = (
    '<validation_error action="close_page">\n  <field name="pageId">Missing.</field>\n'
    "  <recovery>Fix it.</recovery>\n</validation_error>"
)
BLOCK = (
    '  <contract_awareness since="0.8.1">\n'
    '    <change severity="BREAKING" field="pageId">replaces pageIdx; do not reuse its value</change>\n'
    "  </contract_awareness>\n"
)


def test_the_block_stands_directly_before_the_recovery() -> None:
    awareness = ContractAwareness.between(OLD, NEW)
    assert awareness.enrich(ERROR, "close_page") == ERROR.replace("  <recovery>", f"{BLOCK}  <recovery>")
    compact = ERROR.replace("\n  ", "\n")
    flat = BLOCK.replace("\n  ", "\n").removeprefix("  ")
    assert awareness.enrich(compact, "close_page") == compact.replace("<recovery>", f"{flat}<recovery>")
    no_recovery = '<validation_error action="close_page">\n  <field name="pageId">Missing.</field>\n</validation_error>'
    assert awareness.enrich(no_recovery, "close_page") == no_recovery.replace("</v", f"{BLOCK}</v")
    once = awareness.enrich(ERROR, "close_page")
    assert awareness.enrich(once, "close_page") is once
    in_a_line = "<validation_error><recovery>Fix it.</recovery></validation_error>"
    ET.fromstring(awareness.enrich(in_a_line, "close_page"))  # our own text


def test_without_a_change_the_same_object_comes_back() -> None:
    awareness = ContractAwareness.between(OLD, NEW)
    for action in ("other", "close", "close_pages", "close_page.x", ""):
        assert awareness.enrich(ERROR, action) is ERROR
        assert awareness.render(action) == ""
    assert ContractAwareness.between(NEW, NEW).actions == ()


@pytest.mark.parametrize("code", CODES)
def test_only_validation_errors_and_unknown_actions_are_added_to(code: str) -> None:
    text = tool_error(code, "No.", suggestion="Do.").to_xml()
    enriched = ContractAwareness.between(OLD, NEW).enrich(text, "close_page")
    if code in {"VALIDATION_ERROR", "UNKNOWN_ACTION"}:
        assert enriched == text.replace("  <recovery>", f"{BLOCK}  <recovery>")
    else:
        assert enriched is text


def test_a_plain_text_that_speaks_of_errors_is_left_alone() -> None:
    text = "Failed: <validation_error> was expected. <recovery>"
    assert ContractAwareness.between(OLD, NEW).enrich(text, "close_page") is text


def grouped(branches: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    parts = [
        {"properties": {"action": {"const": key}, **properties}, "required": ["action", *properties]}
        for key, properties in branches.items()
    ]
    return {"type": "object", "oneOf": parts}


def test_create_is_not_create_many() -> None:
    many_of = {"amounts": {"type": "array"}}
    old = contract({"billing": grouped({"create": {"amount": ID}, "create_many": many_of})}, "1")
    new = contract({"billing": grouped({"create": {"amount": ID, "currency": STRING}, "create_many": many_of})})
    awareness = ContractAwareness.between(old, new)
    assert texts(awareness, "billing.create") == [("BREAKING", "currency", "new and required")]
    assert awareness.deltas("billing.create_many") == awareness.deltas("create") == awareness.deltas("bill") == ()
    schema = new.tools["billing"].input_schema
    sent = {"action": "create", "amount": 1}
    report = explain_validation(schema, sent, action="billing", awareness=awareness)
    assert report.action == "billing.create"
    assert '<change severity="BREAKING" field="currency">new and required</change>' in report.to_xml()


def test_an_action_that_is_gone_is_told_to_those_who_choose_it() -> None:
    live = contract({"billing": grouped({"create": {"amount": ID}, "void": {}})})
    old = contract({"billing": grouped({"create": {"amount": ID}, "void": {}, "legacy": {"x": ID}})}, "1")
    awareness = ContractAwareness.between(old, live)
    assert texts(awareness, "billing") == [("BREAKING", "action", "no longer accepts 'legacy'")]
    assert texts(awareness, "billing.legacy") == [("BREAKING", "", "removed")]
    assert awareness.deltas("billing.create") == awareness.deltas("billing.void") == ()
    sent = {"action": "legacy", "x": 1}
    text = explain_validation(awareness.schema("billing"), sent, action="billing", awareness=awareness).to_xml()
    assert "Not an allowed value. You sent: 'legacy'. Expected one of 'create', 'void'." in text
    assert '<change severity="BREAKING" field="action">no longer accepts \'legacy\'</change>' in text
    fault = unknown_action("billing.legacy", live, awareness)
    assert fault.message == "No action billing.legacy. Removed since 1."
    assert set(fault.available_actions) == {"billing", "billing.create", "billing.void"}


def test_a_change_of_the_whole_tool_is_one_of_each_action() -> None:
    branches = {"create": {"amount": ID}, "remove": {"number": ID}}
    old = {"input_schema": grouped(branches), "description": "Old."}
    new = {"input_schema": grouped(branches), "description": "New."}
    awareness = ContractAwareness.between(contract({"billing": old}), contract({"billing": new}))
    for action in ("billing", "billing.create", "billing.remove"):
        assert texts(awareness, action) == [("RISKY", "", "description reworded")]


def test_names_that_a_server_chose_cannot_leave_their_attribute() -> None:
    name = 'a"><x>&\n\U000e0041'
    awareness = ContractAwareness.between(contract({"t": takes({name: STRING})}), contract({"t": takes({})}))
    change = ET.fromstring(awareness.render("t"))[0]  # our own text
    assert change.tag == "change"
    assert str(change.get("field")).startswith('a"><x>&')
    assert "\U000e0041" not in awareness.render("t")


@settings(max_examples=200, deadline=None)
@given(text=st.text() | st.just(ERROR), action=st.sampled_from(["close_page", "other"]), cut=st.integers(0, 120))
def test_any_text_is_enriched_or_handed_back(text: str, action: str, cut: int) -> None:
    awareness = ContractAwareness.between(OLD, NEW)
    enriched = awareness.enrich(text[:cut], action)
    assert enriched.replace(BLOCK, "") == text[:cut] or text.startswith("<validation_error")
    assert awareness.enrich(enriched, action) is enriched
