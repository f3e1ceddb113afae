"""Faults that a review found in the comparison, each with the smallest pair that showed it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from fusion_contracts.schema import changes, compare, explain
from fusion_contracts.schema.actions import grouping, grouping_by
from fusion_contracts.schema.by_action import explain_by_action
from fusion_contracts.schema.changes import Edit
from fusion_contracts.schema.compare import deep_recursion

S: Any = {"type": "string"}
I: Any = {"type": "integer"}  # noqa: E741 - beside S


def of(*required: str, **properties: Any) -> dict[str, Any]:
    """An object with these properties."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


def action(value: str | list[str], *required: str, **properties: Any) -> dict[str, Any]:
    """A branch that `action` selects."""
    selector = {"const": value} if isinstance(value, str) else {"enum": value}
    return {"properties": {"action": selector, **properties}, "required": ["action", *required]}


def one_of(*branches: Any) -> dict[str, Any]:
    return {"type": "object", "oneOf": list(branches)}


def told(edits: tuple[Edit, ...]) -> list[tuple[str, str, str | None, str | None]]:
    return [(type(e.change).__name__, e.effect, e.change.place.old, e.change.place.new) for e in edits]


def test_a_definition_within_shared_definitions_names_every_argument_that_reaches_it() -> None:
    def document(leaf: Any) -> Any:
        definitions = {"List": of(items={"type": "array", "items": {"$ref": "#/$defs/Item"}}), "Item": of(q=leaf)}
        return {**of(a={"$ref": "#/$defs/List"}, b={"$ref": "#/$defs/List"}), "$defs": definitions}

    (edit,) = explain(document(S), document(I)).edits
    assert edit.change.place.uses == ("a.items[].q", "b.items[].q")


def test_the_uses_of_a_web_of_definitions_are_not_counted_for_ever() -> None:
    def document(leaf: Any) -> Any:
        web = {
            f"D{i}": of(l={"$ref": f"#/$defs/D{(i * 7 + 1) % 60}"}, r={"$ref": f"#/$defs/D{(i * 13 + 5) % 60}"}, v=leaf)
            for i in range(60)
        }
        return {**of(a={"$ref": "#/$defs/D0"}), "$defs": web}

    explanation = explain(document(S), document(I))
    assert explanation.comparison.verdict == "incompatible"
    assert max(len(edit.change.place.uses) for edit in explanation.edits) <= 100


def test_a_definition_and_one_use_of_it_written_out_are_one_edit() -> None:
    old = {**of(a={"$ref": "#/$defs/D"}, b={"$ref": "#/$defs/D"}), "$defs": {"D": S}}
    new = {**of(a=I, b={"$ref": "#/$defs/D"}), "$defs": {"D": I}}
    (edit,) = explain(old, new).edits
    assert (edit.effect, edit.change.place.uses) == ("breaks", ("a", "b"))


def test_a_property_that_moved_into_the_branches_was_not_removed() -> None:
    old = of("a", a=S, b=I)
    explanation = explain(old, {"type": "object", "anyOf": [old, {**old, "required": ["a", "b"]}]})
    assert explanation.comparison.verdict == "compatible"
    assert changes.PropertyRemoved not in {type(edit.change) for edit in explanation.edits}


def test_a_property_that_moved_out_of_the_branches_is_not_new() -> None:
    old = {"type": "object", "anyOf": [of("a", a=S, b=I), of("b", a=S, b=I)]}
    new = {**of(a=S, b=I), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    explanation = explain(old, new)
    assert explanation.comparison.verdict == "compatible"
    assert changes.PropertyAdded not in {type(edit.change) for edit in explanation.edits}


def test_a_property_that_one_branch_lost_is_gone_though_another_branch_has_it() -> None:
    old = {"type": "object", "anyOf": [of("a", a=S, z=S), of("b", b=S, z=S)]}
    new = {"type": "object", "anyOf": [of("a", a=S), of("b", b=S, z=S)]}
    assert told(explain(old, new).edits) == [("PropertyRemoved", "safe", "/anyOf/0/properties/z", None)]


def test_the_witness_of_a_removed_property_sends_it() -> None:
    old = {"type": "object", "anyOf": [of("a", a=S, z=S), of("b", b=S)]}
    new = {"type": "object", "anyOf": [{**of("a", a=S), "additionalProperties": False}, of("b", b=S)]}
    (removed,) = (e for e in explain(old, new).edits if isinstance(e.change, changes.PropertyRemoved))
    assert removed.witness == {"a": "x", "z": "x"}


def test_a_reference_that_leads_nowhere_is_all_that_is_said_of_its_place() -> None:
    edits = explain(of(a=S), of(a={"$ref": "https://example.com/a.json"})).edits
    assert told(edits) == [("ReferenceChanged", "undecided", None, "/properties/a/$ref")]


def test_a_grouped_schema_that_says_nothing_any_more_was_emptied() -> None:
    old = one_of(action("read", "id", id=S), action("write", "t", t=S))
    assert told(explain(old, {"type": "object"}).edits) == [("SchemaEmptied", "safe", "", "")]


@pytest.mark.parametrize("union", ["allOf", "anyOf", "oneOf"])
def test_a_composition_of_one_part_is_that_part(union: str) -> None:
    part = {**S, "minLength": 2, "description": "The name.", "not": {"const": "root"}}
    assert told(explain(of(a=part), of(a={union: [part]})).edits) == [("Rewritten", "safe", "", "")]


def test_a_union_of_another_keyword_has_a_place_on_both_sides() -> None:
    branches = [of("a", a=S), of("b", b=S)]
    old, new = ({"type": "object", keyword: branches} for keyword in ("anyOf", "oneOf"))
    assert told(explain(old, new).edits) == [("SchemaReplaced", "breaks", "/anyOf", "/oneOf")]


# Actions.


READ, WRITE = action("read", "id", id=S), action("write", "text", text=S)


def test_actions_are_recognised_by_what_the_other_version_selects_with() -> None:
    assert grouping(one_of(READ)) is None
    single = grouping_by(one_of(READ), "action")
    flat = grouping_by(of("action", action={"enum": ["read", "write"]}), "action")
    assert single is not None
    assert flat is not None
    assert (single.values, flat.values) == (("read",), ("read", "write"))
    assert grouping_by(of("action", action=S), "action") is None
    assert grouping_by(of(action={"enum": ["read", "write"]}), "action") is None
    assert grouping_by(one_of(READ, WRITE), "kind") is None


def test_an_action_is_removed_also_where_only_one_is_left() -> None:
    found = explain_by_action(one_of(READ, WRITE), one_of(READ))
    assert found is not None
    assert {value: answer.witness for value, answer in found.removed.items()} == {
        "write": {"action": "write", "text": "example"}
    }
    assert list(found.common) == ["read"]


def test_branches_that_were_split_or_merged_are_paired_by_their_values() -> None:
    merged, split = (
        one_of(action(["read", "list"], id=S), WRITE),
        one_of(action("read", id=S), action("list", id=I), WRITE),
    )
    found = explain_by_action(merged, split)
    assert found is not None
    assert {value: told(each.edits) for value, each in found.common.items()} == {
        "read": [],
        "list": [("TypesChanged", "breaks", "/oneOf/0/properties/id/type", "/oneOf/1/properties/id/type")],
        "write": [],
    }
    found = explain_by_action(one_of(action("read", id=S), action("list", id=S), WRITE), merged)
    assert found is not None
    assert [each.edits for each in found.common.values()] == [(), (), ()]


@pytest.mark.parametrize(
    "condition",
    [
        {"properties": {"action": {"const": "read", "type": "array"}}},
        {"properties": {"action": {"const": "read", "enum": ["write"]}}},
        {"properties": {"action": {"const": "read", "minLength": 9}}},
        {"properties": {"action": {"const": "read"}}, "type": "array"},
        {"properties": {"action": False}},
    ],
)
def test_a_test_that_no_value_passes_selects_nothing(condition: Any) -> None:
    flat = of("action", action={"enum": ["read", "write"]}, id=S, text=S)
    old = {**flat, "if": {"properties": {"action": {"const": "read"}}}, "then": {"required": ["id"]}}
    new = {**old, "if": condition, "else": {"required": ["text"]}}
    found = explain_by_action(old, new)
    answers = [explain(old, new).comparison] if found is None else [e.comparison for e in found.common.values()]
    assert {"action": "read", "id": "x"} in [answer.witness for answer in answers]


def test_many_actions_are_told_one_by_one() -> None:
    def tool(broken: int | None) -> Any:
        return one_of(*(action(f"a{i}", x=I if i == broken else S) for i in range(150)))

    found = explain_by_action(tool(None), tool(5))
    assert found is not None
    broken = {value: each.comparison.witness for value, each in found.common.items() if each.edits}
    assert broken == {"a5": {"action": "a5", "x": "x"}}


# What only costs time.


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_wide_union_is_decided(union: str) -> None:
    def tool(broken: int | None) -> Any:
        return {"type": "object", union: [action(f"a{i}", x=I if i == broken else S) for i in range(150)]}

    assert compare(tool(None), tool(5)).witness == {"action": "a5", "x": "x"}
    assert compare(tool(None), {**tool(None), "minProperties": 1}).verdict == "compatible"


def test_a_long_list_of_values_is_decided() -> None:
    texts, objects = [f"v{i}" for i in range(20_000)], [{"k": i} for i in range(3_000)]
    for values in (texts, objects):
        whole, less = ({"enum": listed} for listed in (values, values[:-1]))
        assert compare(of(a=whole), of(a=less)).witness == {"a": values[-1]}
        assert compare(of(a=less), of(a=whole)).verdict == "compatible"


def test_thousands_of_renamed_properties_are_decided() -> None:
    old, new = (of(**{f"{letter}{i}": S for i in range(4_000)}) for letter in "pq")
    assert compare(old, new).verdict == "compatible"


def test_a_long_number_in_a_recursive_schema_is_read() -> None:
    long = {**of(a={"type": "integer", "minimum": 10**5_000}), "$defs": {"T": of(t={"$ref": "#/$defs/T"})}}
    long["properties"]["t"] = {"$ref": "#/$defs/T"}
    long["$defs"]["T"]["properties"]["n"] = {"type": "integer", "maximum": 10**5_000}
    assert compare(long, {**long, "description": "The same."}).verdict != "incompatible"


@pytest.mark.parametrize("dialect", ["draft-04", "openapi-3.0"])
def test_numbers_as_exclusive_bounds_are_read_where_flags_belong(dialect: str) -> None:
    old, new = (of(a={"maximum": 2, "exclusiveMaximum": most}) for most in (1, 0.5))
    assert compare(old, dict(old), dialect=dialect).verdict == "compatible"
    narrowed = compare(old, new, dialect=dialect)
    assert narrowed.verdict == "incompatible"
    assert 0.5 <= narrowed.witness["a"] < 1
    assert compare(new, old, dialect=dialect).verdict == "compatible"


def test_definitions_whose_numbers_python_cannot_write_are_not_taken_for_one_another() -> None:
    def tree(most: int) -> dict[str, Any]:
        node = {"type": "object", "properties": {"v": {"maximum": most}, "next": {"$ref": "#/$defs/n"}}}
        return {"$defs": {"n": node}, "type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}

    most = 10**5_000
    assert compare(tree(most), tree(most + 1)).verdict == "compatible"
    narrowed = compare(tree(most + 1), tree(most))
    assert (narrowed.verdict, narrowed.reason) == (
        "undecided",
        "a second validator cannot read the old and the new schema",
    )


def test_a_reference_under_an_empty_name_is_followed() -> None:
    text = {"type": "string"}
    old = {"properties": {"": {"$ref": "#/properties/b"}, "b": text}}
    assert explain(old, {"properties": {"": {}, "b": text}}).comparison.verdict == "compatible"


@pytest.mark.parametrize("union", ["oneOf", "anyOf"])
def test_a_plain_schema_is_not_looked_for_without_end_in_branches_that_refer_to_themselves(union: str) -> None:
    old = {"properties": {"a": {union: [{"$ref": "#/properties/a", "type": "number"}]}}}
    new = {"properties": {"a": {union: [{"$ref": "#/properties/a"}]}}}
    assert {edit.effect for edit in explain(old, new).edits} == {"safe"}


def test_the_room_for_deep_schemas_is_there_until_the_last_one_has_left() -> None:
    before = sys.getrecursionlimit()
    first, second = deep_recursion(), deep_recursion()
    for each in (first, second):
        each.__enter__()
    first.__exit__(None, None, None)
    assert sys.getrecursionlimit() > before
    second.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before
