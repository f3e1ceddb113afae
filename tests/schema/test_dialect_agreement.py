"""Translation to 2020-12: a drawn schema takes the values that a validator of its original draft takes."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fusion_contracts.schema.dialect import Untranslatable, _Translation, translate
from fusion_contracts.schema.dialect_keywords import DIALECTS
from fusion_contracts.schema.dialect_places import Places

VALIDATORS: dict[str, Any] = {
    "draft-04": jsonschema_rs.Draft4Validator,
    "draft-06": jsonschema_rs.Draft6Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
}
# No 1.0: whether it is an integer in draft-04 is read otherwise here.
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, 3, 0.5, "", "a", "bb"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["a", "b", "c"])
STRINGS = st.lists(NAMES, min_size=1, max_size=2, unique=True)


@st.composite
def old_schemas(draw: st.DrawFn, dialect: str, depth: int, references: tuple[str, ...]) -> Any:
    """A schema of an old dialect that also holds keywords of later ones; references never lead back to it."""
    modern = dialect != "draft-04"
    if modern and draw(st.integers(0, 9)) == 0:
        return draw(st.booleans())
    leaves = st.sampled_from([{}, {"type": "string"}, {"type": "integer"}])
    inner = old_schemas(dialect, depth - 1, references) if depth else leaves
    number = st.integers(0, 3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(["string", "integer", "number", "object", "array", "null", ["boolean", "array"]]),
        "minimum": number, "maximum": number, "maxLength": number, "minItems": number, "maxProperties": number,
        "exclusiveMinimum": number if modern else st.booleans(),
        "exclusiveMaximum": number if modern else st.booleans(),
        "required": STRINGS, "enum": st.lists(VALUES, min_size=1, max_size=3, unique_by=repr), "const": VALUES,
        "properties": st.dictionaries(NAMES, inner, max_size=2), "additionalProperties": inner,
        "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
        "items": st.lists(inner, min_size=1, max_size=2) | inner, "additionalItems": inner,
        "dependencies": st.dictionaries(NAMES, inner | STRINGS, min_size=1, max_size=2),
        "allOf": st.lists(inner, min_size=1, max_size=2), "oneOf": st.lists(inner, min_size=1, max_size=2),
        "not": inner, "contains": inner, "propertyNames": inner, "if": inner, "then": inner, "else": inner,
        "dependentRequired": st.dictionaries(NAMES, STRINGS, min_size=1, max_size=2),
        "dependentSchemas": st.dictionaries(NAMES, inner, min_size=1, max_size=2),
        "unevaluatedProperties": inner, "unevaluatedItems": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2), "minContains": number, "maxContains": number,
    }  # fmt: skip
    if references:
        keywords["$ref"] = st.sampled_from(references)
    chosen = draw(st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True))
    return {keyword: draw(keywords[keyword]) for keyword in chosen}


@st.composite
def old_documents(draw: st.DrawFn, dialect: str) -> Any:
    leaf = old_schemas(dialect, 1, ())
    first = old_schemas(dialect, 1, ("#/definitions/b", "#/$defs/c"))
    second = old_schemas(
        dialect, 1,
        (
            "#/definitions/a", "#/$defs/c", "#/x/y/0", "#/items/0", "#/items", "#/additionalItems", "#/dependencies/a",
            "#/contains",
        ),
    )  # fmt: skip
    root: dict[str, Any] = {
        "definitions": {"a": draw(first), "b": draw(leaf)}, "$defs": {"c": draw(leaf)}, "x": {"y": [draw(leaf)]},
        "properties": {"a": draw(second), "b": draw(second)}, "not": draw(second),
    }  # fmt: skip
    for keyword, value in (
        ("items", st.lists(first, min_size=1, max_size=2) | first),
        ("additionalItems", first),
        ("dependencies", st.fixed_dictionaries({"a": first})),
        ("contains", first),
    ):
        if draw(st.booleans()):
            root[keyword] = draw(value)
    return root


@pytest.mark.parametrize("dialect", VALIDATORS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_original_draft_agrees(dialect: str, data: st.DataObject) -> None:
    schema = data.draw(old_documents(dialect))
    try:
        original = VALIDATORS[dialect](schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        assume(False)
    translated, reason = schema, None
    try:
        translated = translate(schema, dialect)
    except Untranslatable as trouble:
        reason = trouble.reason
    assert reason is None
    assume(reason is None)
    latest = jsonschema_rs.Draft202012Validator(translated)
    for value in data.draw(st.lists(VALUES, min_size=1, max_size=12)):
        assert latest.is_valid(value) is original.is_valid(value), value


@pytest.mark.parametrize("dialect", VALIDATORS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_is_plain_at_a_glance_is_translated_to_the_same(dialect: str, data: st.DataObject) -> None:
    schema = data.draw(old_schemas(dialect, 1, ("#/not",)))
    assume(isinstance(schema, dict))
    try:
        whole = _Translation(Places(schema, DIALECTS[dialect])).document()
    except Untranslatable as trouble:
        with pytest.raises(Untranslatable, match=re.escape(str(trouble))):
            translate(schema, dialect)
    else:
        assert translate(schema, dialect) == whole
