"""The engine against two validators and against jsonschema-rs' own containment, on schemas made at random.

`compatible` must not be refuted by any value at hand; `incompatible` must come with a witness that both validators
confirm; a yes or no of `covers` must not be contradicted. benchmarks/fuzz_schema.py does so for as long as one likes.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import event, given, settings
from hypothesis import strategies as st

from fusion_contracts.schema import compare, explain

Strategy = st.SearchStrategy[Any]
NAMES = st.sampled_from(["a", "b", "c"])
# Read alike by ECMA-262 and by Python, on the texts below.
PATTERNS = st.sampled_from(["^a", "^[ab]*[^b]?c", "a|b", "^(a|b)", "^.{2}", "x", "^[^a]", "[0-9]+"])
SMALL = st.integers(0, 3)
NUMBERS = st.sampled_from([-3, -1, 0, 1, 2, 2.5, 5, 10])
REFERENCES = st.sampled_from([{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}])


LEAVES = ["", "a", "b", "ab", "x", "cab", "12", -3, 0, 1, 2, 6, 0.5, 1.5, 2.5, True, False, None]
LISTS: list[Any] = [[], [1], [1, 1], [1, 1.5], ["a"], ["a", "b", "a"], [None, True], [[]], [{"a": 1}], [0, "x", 2, 3]]
OBJECTS: list[Any] = [
    {}, {"a": 1}, {"a": "ab"}, {"b": None}, {"c": True}, {"d": 0.5}, {"a": 1, "b": 2}, {"a": "a", "c": {}}, {"b": [1]},
    {"a": {"a": 1}}, {"b": {"b": "x"}, "c": 1}, {"a": None, "b": "b", "c": "c"}, {"ax": "1", "d": {"a": "x"}},
]  # fmt: skip
VALUES = [*LEAVES, *LISTS, *OBJECTS]


def optional(**keywords: Strategy) -> Strategy:
    """An object with some of the keywords."""
    return st.fixed_dictionaries({}, optional={name.rstrip("_"): strategy for name, strategy in keywords.items()})


def simple() -> Strategy:
    kinds = st.sampled_from(["string", "integer", "number", "null", "boolean", "object", "array"])
    return (
        st.sampled_from([True, False, {}])
        | st.builds(lambda kind: {"type": kind}, kinds)
        | st.builds(lambda listed: {"type": listed}, st.lists(kinds, min_size=1, max_size=3, unique=True))
        | st.builds(lambda listed: {"enum": listed}, st.lists(st.sampled_from(VALUES), min_size=1, max_size=3))
        | optional(
            type=st.just("number"), minimum=NUMBERS, maximum=NUMBERS, exclusiveMinimum=NUMBERS,
            multipleOf=st.sampled_from([1, 2, 3, 0.5, 1.5, 4]),
        )
        | optional(type=st.just("string"), minLength=SMALL, maxLength=SMALL, pattern=PATTERNS)
    )  # fmt: skip


def compound(inner: Strategy) -> Strategy:
    objects = optional(
        type=st.just("object"), properties=st.dictionaries(NAMES, inner, max_size=3),
        required=st.lists(NAMES, max_size=2, unique=True), additionalProperties=inner,
        patternProperties=st.dictionaries(PATTERNS, inner, max_size=1), propertyNames=inner, minProperties=SMALL,
        maxProperties=SMALL, dependentRequired=st.dictionaries(NAMES, st.lists(NAMES, max_size=1), max_size=1),
        dependentSchemas=st.dictionaries(NAMES, inner, max_size=1), unevaluatedProperties=inner,
    )  # fmt: skip
    arrays = optional(
        type=st.just("array"), items=inner, prefixItems=st.lists(inner, min_size=1, max_size=2), minItems=SMALL,
        maxItems=SMALL, uniqueItems=st.booleans(), contains=inner, minContains=SMALL, maxContains=SMALL,
        unevaluatedItems=inner,
    )  # fmt: skip
    parts = st.lists(inner, min_size=1, max_size=3)
    composed = optional(allOf=parts, anyOf=parts) | optional(oneOf=parts, not_=inner)
    conditional = optional(if_=inner, then=inner, else_=inner)
    return objects | objects | arrays | composed | conditional | REFERENCES


def schemas() -> Strategy:
    small = simple()
    middle = small | compound(small)
    return middle | compound(middle)


def documents() -> Strategy:
    definitions = st.fixed_dictionaries({"x": schemas(), "y": schemas()})
    bodies = schemas().map(lambda schema: schema if isinstance(schema, dict) else {"allOf": [schema]})
    return st.builds(lambda body, named: {**body, "$defs": named}, bodies, definitions)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two documents, most often alike but for a part."""
    old = draw(documents())
    if draw(st.integers(0, 3)) == 0:
        return old, draw(documents())
    new = json.loads(json.dumps(old))
    keyword = draw(st.sampled_from([name for name in old if name != "$defs"] or ["type"]))
    fresh = draw(documents())
    if draw(st.booleans()):
        new.pop(keyword, None)
    return old, {**new, **{name: part for name, part in fresh.items() if name != "$defs"}}


def covers(old: Any, new: Any) -> str:
    draft = jsonschema_rs.Draft202012
    try:
        sides = [
            jsonschema_rs.canonicalize(schema, draft=draft, validate_formats=False, offline=True)
            for schema in (old, new)
        ]
        return str(sides[1].covers(sides[0]))
    except Exception:  # noqa: BLE001 - young code: whatever it raises, it has no opinion
        return "unknown"


@settings(derandomize=True, max_examples=250, deadline=None)
@given(pairs())
def test_answers_stand_up_to_validators_and_to_covers(judges: Any, pair: tuple[Any, Any]) -> None:
    old, new = pair
    answer = compare(old, new, world="open")
    event(answer.verdict)
    if answer.verdict == "undecided":
        assert answer.reason
        return
    if answer.verdict == "incompatible":
        assert answer.has_witness
        for accepts in judges:
            assert accepts(old, answer.witness, "2020-12")
            assert not accepts(new, answer.witness, "2020-12")
        assert covers(old, new) != "yes"
        return
    before, after = (jsonschema_rs.Draft202012Validator(schema, validate_formats=False) for schema in pair)
    assert [value for value in VALUES if before.is_valid(value) and not after.is_valid(value)] == []
    assert covers(old, new) != "no"


@settings(derandomize=True, max_examples=150, deadline=None)
@given(pairs(), st.booleans(), st.sampled_from(["declared", "open"]))
def test_edits_are_blamed_where_the_pair_breaks(judges: Any, pair: tuple[Any, Any], output: bool, world: str) -> None:
    explanation = explain(*pair, output=output, world=world)
    before, after = reversed(pair) if output else pair
    breaking = [edit for edit in explanation.edits if edit.effect == "breaks"]
    assert bool(breaking) is (explanation.comparison.verdict == "incompatible")
    assert explanation.edits or json.dumps(pair[0], sort_keys=True) == json.dumps(pair[1], sort_keys=True)
    for edit in breaking:
        assert judges[1](before, edit.witness, "2020-12")
        assert not judges[1](after, edit.witness, "2020-12")


@settings(derandomize=True, max_examples=100, deadline=None)
@given(documents(), documents())
def test_each_document_is_compatible_with_a_union_it_is_in(old: Any, other: Any) -> None:
    named = {"old": {"$id": "urn:old", **old}, "other": {"$id": "urn:other", **other}}
    answer = compare(old, {"$defs": named, "anyOf": [{"$ref": "urn:other"}, {"$ref": "urn:old"}]}, world="open")
    assert answer.verdict == "compatible" or answer.reason.startswith("cannot read $ref cycle")
