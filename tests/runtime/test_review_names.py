"""What a reviewer broke about names: dots in them, actions of one tool, definitions that many places use."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from explaining import closed, contract, explain, text_of

from fusion_contracts import CallGuard, ContractAwareness, explain_validation

WORDS = {"type": "string", "description": "The name to filter by"}


@pytest.mark.parametrize("required", [(), ("filter.title",)])
@pytest.mark.parametrize("open_", [True, False])
def test_names_with_dots_are_names(required: tuple[str, ...], open_: bool) -> None:
    old = contract("1", t=closed(**{"filter.name": WORDS}))
    schema = closed(*required, **{"filter.title": WORDS}) | ({"additionalProperties": True} if open_ else {})
    awareness = ContractAwareness.between(old, contract(t=schema))
    (delta,) = awareness.deltas("t")
    assert (delta.field, delta.gone, delta.text) == (
        "filter.title",
        "filter.name",
        "renamed from filter.name; same value",
    )
    report = explain(schema, {"filter.name": "a"}, awareness=awareness)
    assert report.suggested_arguments == {"filter.title": "a"}
    assert len(report.issues) == 1


def test_names_with_dots_inside_lists() -> None:
    old = contract("1", t=closed(f={"type": "array", "items": closed(**{"a.b": WORDS})}))
    schema = closed(f={"type": "array", "items": closed("a.c", **{"a.c": WORDS})})
    awareness = ContractAwareness.between(old, contract(t=schema))
    report = explain(schema, {"f": [{"a.b": "1"}]}, awareness=awareness)
    assert report.suggested_arguments == {"f": [{"a.c": "1"}]}


def grouped(**actions: dict[str, Any]) -> dict[str, Any]:
    branches = [
        {"properties": {"action": {"const": key}, **properties}, "required": ["action", *properties]}
        for key, properties in actions.items()
    ]
    return {"type": "object", "oneOf": branches}


def test_a_rename_in_one_action_is_not_told_to_another() -> None:
    old = contract("1", b=grouped(create={"id": WORDS}, create_many={"ids": {"type": "array"}}))
    live = contract(b=grouped(create={"key": WORDS}, create_many={"ids": {"type": "array"}}))
    awareness = ContractAwareness.between(old, live)
    assert awareness.deltas("b.create_many") == ()
    assert [delta.text for delta in awareness.deltas("b.create")] == ["renamed from id; same value"]
    sent = {"action": "create", "id": "5"}
    report = explain_validation(live.tools["b"].input_schema, sent, action="b", awareness=awareness)
    assert report.suggested_arguments == {"action": "create", "key": "5"}


def shared(part: dict[str, Any]) -> dict[str, Any]:
    """A schema that uses one definition in two places."""
    use = {"$ref": "#/$defs/part"}
    properties = {"items": {"type": "array", "items": use}, "other one": use}
    return {"type": "object", "properties": properties, "$defs": {"part": part}}


def test_a_definition_is_told_for_every_place_that_uses_it() -> None:
    live = shared(closed("c d", **{"c d": WORDS}))
    awareness = ContractAwareness.between(contract("1", t=shared(closed(**{"a b": WORDS}))), contract(t=live))
    assert {(delta.gone, delta.field) for delta in awareness.deltas("t")} == {
        ("items[].a b", "items[].c d"),
        ("other one.a b", "other one.c d"),
    }
    report = explain(live, {"items": [{"a b": "1"}], "other one": {"a b": "2"}}, awareness=awareness)
    assert report.suggested_arguments == {"items": [{"c d": "1"}], "other one": {"c d": "2"}}


def test_a_change_in_a_definition_is_said_without_its_places() -> None:
    old, live = (shared(closed(n={"type": name})) for name in ("string", "integer"))
    awareness = ContractAwareness.between(contract("1", t=old), contract(t=live))
    assert {(delta.field, delta.text) for delta in awareness.deltas("t")} == {
        ("items[].n", "no longer takes string; takes integer now"),
        ("other one.n", "no longer takes string; takes integer now"),
    }


def test_actions_that_are_definitions() -> None:
    def schema(name: str) -> dict[str, Any]:
        whole = grouped(create={name: WORDS}, create_many={"ids": {"type": "array"}})
        parts = dict(zip(("Create", "Many"), whole["oneOf"], strict=True))
        return {"type": "object", "oneOf": [{"$ref": f"#/$defs/{part}"} for part in parts], "$defs": parts}

    live = contract(b=schema("key"))
    awareness = ContractAwareness.between(contract("1", b=schema("id")), live)
    assert [(delta.action, delta.field) for delta in awareness.all_deltas] == [("b.create", "key")]
    sent = {"action": "create", "id": "5"}
    report = explain_validation(live.tools["b"].input_schema, sent, action="b", awareness=awareness)
    assert report.suggested_arguments == {"action": "create", "key": "5"}


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError

    def __format__(self, _spec: str) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    "chosen", [10**5000, Hostile(), True, None, {}, [1], "\ud800"], ids=lambda value: type(value).__name__
)
def test_whatever_selects_the_action_the_guard_answers(chosen: Any) -> None:
    one = contract(b=grouped(create={}, drop={}))
    report = CallGuard(one, one).check("b", {"action": chosen})
    assert report is not None
    text_of(report)


def test_names_that_stand_in_other_names_are_not_refused() -> None:
    schema = closed(a={})
    sent = {"a": 1, "b', 'a": 2, "it's": 3}
    with pytest.raises(jsonschema.ValidationError) as failed:
        jsonschema.validate(sent, schema)
    assert [issue.name for issue in explain(failed.value, sent).issues] == ["b', 'a", "it's"]
