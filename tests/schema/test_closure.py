"""The declared world's closure: an instance holds it exactly when it holds only names that the schema shows."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts.schema import compare
from fusion_contracts.schema.build import Builder
from fusion_contracts.schema.closure import Closure
from fusion_contracts.schema.evaluate import Evaluator
from fusion_contracts.schema.formula import Space

NAMES = ("a", "b", "c")
IN_PLACE = ("allOf", "anyOf", "oneOf")


# A second reading of the rule, on schemas without references: plain recursion over the instance.


def location(schemas: list[Any]) -> list[dict[str, Any]]:
    """All schemas about one value, whether or not their branch holds."""
    found: list[dict[str, Any]] = []
    for schema in schemas:
        if isinstance(schema, dict):
            parts = [part for keyword in IN_PLACE for part in schema.get(keyword, ())]
            parts += [schema[keyword] for keyword in ("if", "then", "else") if keyword in schema]
            parts += schema.get("dependentSchemas", {}).values()
            found += [schema, *location(parts)]
    return found


def about(name: str, here: list[dict[str, Any]]) -> list[Any]:
    """The schemas about a property: those under its name or a pattern; without these, the one for others."""
    found: list[Any] = []
    for schema in here:
        own = [schema["properties"][name]] if name in schema.get("properties", {}) else []
        own += [part for pattern, part in schema.get("patternProperties", {}).items() if name.startswith(pattern[1:])]
        found += own or [schema[keyword] for keyword in ("additionalProperties",) if keyword in schema]
    return found


def declared(schemas: list[Any], value: Any, *, root: bool = False) -> bool:
    """Whether a value holds only names that the schemas name."""
    here = location(schemas)
    if isinstance(value, list):
        return all(declared([schema["items"] for schema in here if "items" in schema], item) for item in value)
    if not isinstance(value, dict) or not (here or root):
        return True
    explicit = any(schema.get("additionalProperties", False) is not False for schema in here)
    closed = not explicit and (root or any("properties" in schema for schema in here))
    names = {name for schema in here for name in (*schema.get("properties", ()), *schema.get("required", ()))}
    names |= {name for schema in here for listed in schema.get("dependentRequired", {}).values() for name in listed}
    patterns = [pattern[1:] for schema in here for pattern in schema.get("patternProperties", ())]
    known = {name for name in value if name in names or any(name.startswith(start) for start in patterns)}
    if closed and known != value.keys():
        return False
    return all(declared(about(name, here), item) for name, item in value.items())


def holds_closure(schema: Any, value: Any) -> bool:
    space = Space()
    return Evaluator(space).holds(Closure(Builder(space)).document(schema), value)


def objects(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(NAMES), children, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.just("object"),
            "properties": named,
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "patternProperties": st.dictionaries(st.sampled_from(["^x", "^a"]), children, max_size=2),
            "additionalProperties": st.booleans() | children,
            "dependentRequired": st.dictionaries(st.sampled_from(NAMES), st.just(["c"]), max_size=1),
            "dependentSchemas": st.dictionaries(st.sampled_from(NAMES), children, max_size=1),
        },
    )


def schemas() -> st.SearchStrategy[Any]:
    leaves = st.sampled_from([{}, True, {"type": "string"}, {"type": "integer"}])
    return st.recursive(
        leaves,
        lambda children: (
            objects(children)
            | objects(children)
            | st.fixed_dictionaries({"items": children})
            | st.builds(
                lambda base, keyword, parts: {**base, keyword: parts},
                objects(children),
                st.sampled_from(IN_PLACE),
                st.lists(children, min_size=1, max_size=2),
            )
            | st.builds(lambda test, then: {"if": test, "then": then}, children, children)
        ),
        max_leaves=8,
    )


def values() -> st.SearchStrategy[Any]:
    return st.recursive(
        st.sampled_from(["s", 1, None]),
        lambda children: (
            st.dictionaries(st.sampled_from([*NAMES, "x1", "z"]), children, max_size=3) | st.lists(children, max_size=2)
        ),
        max_leaves=6,
    )


@settings(derandomize=True, max_examples=400, deadline=None)
@given(schemas(), values())
def test_a_value_holds_the_closure_exactly_when_it_holds_only_declared_names(schema: Any, value: Any) -> None:
    assert holds_closure(schema, value) is declared([schema], value, root=True)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(schemas(), schemas(), st.lists(values(), min_size=4, max_size=4))
def test_a_declared_value_that_old_takes_is_taken_by_a_compatible_schema(old: Any, new: Any, sent: list[Any]) -> None:
    answer = compare(old, new)
    assert answer.verdict != "undecided", answer.reason
    accepts = [jsonschema_rs.Draft202012Validator(schema, validate_formats=False).is_valid for schema in (old, new)]
    if answer.verdict == "incompatible":
        assert declared([old], answer.witness, root=True)
        assert accepts[0](answer.witness)
        assert not accepts[1](answer.witness)
    else:
        assert not [v for v in sent if declared([old], v, root=True) and accepts[0](v) and not accepts[1](v)]


TAGGED = {"oneOf": [{"properties": {"a": {}}}, {"properties": {"a": {}, "b": {"type": "string"}}, "required": ["b"]}]}
SPLIT: Any = {
    "allOf": [{"properties": {"p": {"properties": {"a": {}}}}}, {"properties": {"p": {"properties": {"b": {}}}}}]
}
EMPTIED = {"properties": {"p": {"properties": {}, "required": ["x"]}}}
MAP = {"properties": {"m": {"type": "object", "required": ["x"]}}}
CHAIN = {
    "$defs": {"n": {"properties": {"v": {}, "next": {"$ref": "#/$defs/n"}}}},
    "$ref": "#/$defs/n",
}


@pytest.mark.parametrize(
    ("schema", "value", "held"),
    [
        pytest.param(TAGGED, {"b": None}, True, id="a branch that does not hold names its arguments all the same"),
        pytest.param(TAGGED, {"z": 1}, False, id="no branch names it"),
        pytest.param(SPLIT, {"p": {"a": 1, "b": 1}}, True, id="schemas of one value are closed together"),
        pytest.param(SPLIT, {"p": {"c": 1}}, False, id="and closed they are"),
        pytest.param({"type": "object", "required": ["a"]}, {"a": 1}, True, id="the root's required names"),
        pytest.param({"type": "object", "required": ["a"]}, {"b": 1}, False, id="and nothing else does"),
        pytest.param(EMPTIED, {"p": {"x": 1}}, True, id="required names of a closed nested object"),
        pytest.param(EMPTIED, {"p": {"y": 1}}, False, id="empty properties close"),
        pytest.param(MAP, {"m": {"x": 1, "y": 1}}, True, id="a nested object without properties is a free map"),
        pytest.param(True, {}, True, id="the root true names nothing: the empty object"),
        pytest.param(True, {"a": 1}, False, id="the root true names nothing"),
        pytest.param({}, {"a": 1}, False, id="the root {} names nothing"),
        pytest.param({}, [1], True, id="the root {} says nothing of an array"),
        pytest.param({"additionalProperties": True}, {"z": 1}, True, id="an explicit true"),
        pytest.param({"additionalProperties": {}}, {"z": 1}, True, id="an explicit schema"),
        pytest.param({"properties": {"a": {}}, "unevaluatedProperties": {}}, {"z": 1}, True, id="unevaluated"),
        pytest.param(
            {"properties": {"a": {}}, "unevaluatedProperties": False}, {"z": 1}, False, id="unevaluated false"
        ),
        pytest.param({"patternProperties": {"^x": {}}}, {"x1": 1}, True, id="a pattern of the root names"),
        pytest.param({"patternProperties": {"^x": {}}}, {"y": 1}, False, id="what it does not match is not named"),
        pytest.param({"if": {}, "then": {"properties": {"a": {}}}}, {"a": 1}, True, id="then names"),
        pytest.param({"else": {"properties": {"a": {}}}}, {"a": 1}, True, id="else names, also without if"),
        pytest.param(CHAIN, {"next": {"next": {"v": 1}}}, True, id="a recursion names at each depth"),
        pytest.param(CHAIN, {"next": {"next": {"w": 1}}}, False, id="and is closed at each depth"),
        pytest.param({"prefixItems": [{"properties": {}}], "items": {}}, [{"z": 1}], False, id="prefixItems"),
        pytest.param({"prefixItems": [{"properties": {}}], "items": {}}, [{}, {"z": 1}], True, id="items"),
        pytest.param({"contains": {"properties": {"a": {}}}}, [{"z": 1}], False, id="contains names what items hold"),
        pytest.param({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1}, True, id="closed as written"),
        pytest.param(
            {"dependentSchemas": {"a": {"properties": {"b": {}}}}}, {"b": 1}, True, id="dependentSchemas name"
        ),
        pytest.param({"dependentRequired": {"a": ["b"]}}, {"b": 1}, True, id="dependentRequired names"),
        pytest.param({"dependentRequired": {"a": ["b"]}}, {"c": 1}, False, id="it names nothing else"),
        pytest.param({"not": {"properties": {"b": {}}}}, {"b": 1}, False, id="what is negated names nothing"),
    ],
)
def test_closure(schema: Any, value: Any, held: bool) -> None:
    assert holds_closure(schema, value) is held


def test_emptiness_below_a_closed_property_hides_no_change() -> None:
    old = {"properties": {"p": {"properties": {}, "required": ["x"]}}}
    new = {"properties": {"p": {"properties": {"x": {"type": "string"}}, "required": ["x", "y"]}}}
    answer = compare(old, new)
    assert (answer.verdict, answer.witness) == ("incompatible", {"p": {"x": "x"}})


def test_names_beside_a_branch_are_declared_together() -> None:
    old = {"oneOf": [{"properties": {"a": {}}}, {"properties": {"a": {}, "b": {"type": "string"}}, "required": ["b"]}]}
    new = {"oneOf": [{"properties": {"a": {}}, "required": ["a"]}, old["oneOf"][1]]}
    answer = compare(old, new)
    assert (answer.verdict, answer.witness) == ("incompatible", {})
