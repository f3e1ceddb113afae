"""Translation to 2020-12: labelled cases, what is refused, and which dialect a schema is of."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from fusion_contracts.schema.dialect import Untranslatable, dialect_of, translate

LATEST = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"

CASES: dict[str, tuple[str, Any, Any]] = {
    "a tuple": (
        "draft-07",
        {"items": [{"type": "string"}, True], "additionalItems": {"type": "integer"}},
        {"prefixItems": [{"type": "string"}, True], "items": {"type": "integer"}},
    ),
    "an open tuple": ("2019-09", {"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}),
    "additionalItems without a tuple": (
        "draft-07", {"items": {"minimum": 1}, "additionalItems": False}, {"items": {"minimum": 1}},
    ),
    "additionalItems alone": ("draft-06", {"type": "array", "additionalItems": False}, {"type": "array"}),
    "dependencies": (
        "draft-07",
        {"dependencies": {"a": ["b", "c"], "d": {"required": ["e"]}, "f": False}},
        {"dependentRequired": {"a": ["b", "c"]}, "dependentSchemas": {"d": {"required": ["e"]}, "f": False}},
    ),
    "dependencies that may be a keyword or none stay": (
        "2019-09",
        {"dependencies": {"a": ["b"], "c": {"items": [True]}}, "not": {"$ref": "#/dependencies/c/items/0"}},
        {"dependencies": {"a": ["b"], "c": {"prefixItems": [True]}}, "not": {"$ref": "#/dependencies/c/prefixItems/0"}},
    ),
    "exclusive bounds of draft-04": (
        "draft-04",
        {"minimum": 1, "exclusiveMinimum": True, "maximum": 5, "exclusiveMaximum": False},
        {"exclusiveMinimum": 1, "maximum": 5},
    ),
    "an exclusive flag without its bound": (
        "draft-04", {"exclusiveMinimum": True, "type": "number"}, {"type": "number"},
    ),
    "draft-04 knows no const": (
        "draft-04", {"const": 1, "contains": {}, "propertyNames": {}, "if": {}, "then": {}, "else": {}, "type": "null"},
        {"type": "null"},
    ),
    "draft-06 knows no condition": ("draft-06", {"if": True, "then": False, "const": 1}, {"const": 1}),
    "draft-07 knows nothing later": (
        "draft-07",
        {
            "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": False}, "unevaluatedProperties": False,
            "unevaluatedItems": False, "prefixItems": [False], "minContains": 0, "maxContains": 0, "$anchor": "a",
            "contains": {"const": 1},
        },
        {"contains": {"const": 1}},
    ),
    "2019-09 knows no prefixItems": ("2019-09", {"prefixItems": [False], "minContains": 1}, {"minContains": 1}),
    "contains beside unevaluatedItems": (
        "2019-09",
        {"unevaluatedItems": False, "allOf": [{"contains": {"items": [True]}}]},
        {"unevaluatedItems": False, "$unmarked": True, "allOf": [{"contains": {"prefixItems": [True]}}]},
    ),
    "siblings of a reference": (
        "draft-07",
        {"$ref": "#/definitions/a", "type": "string", "title": "T", "definitions": {"a": {"items": [True]}}},
        {"$ref": "#/definitions/a", "definitions": {"a": {"prefixItems": [True]}}},
    ),
    "siblings of a reference count since 2019-09": (
        "2019-09", {"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {}}}, None,
    ),
    "a reference to an ignored sibling": (
        "draft-07",
        {"$ref": "#/properties/a", "properties": {"a": {"const": 1}}, "definitions": {}},
        {"$ref": "#/$defs/a", "definitions": {}, "$defs": {"a": {"const": 1}}},
    ),
    "references to what moved": (
        "draft-07",
        {
            "items": [{"$ref": "#/dependencies/x~1y"}, {"$ref": "#/additionalItems"}],
            "additionalItems": {"properties": {"%": {"$ref": "#/items/0"}}},
            "dependencies": {"x/y": {"$ref": "#/additionalItems/properties/%25"}},
        },
        {
            "prefixItems": [{"$ref": "#/dependentSchemas/x~1y"}, {"$ref": "#/items"}],
            "items": {"properties": {"%": {"$ref": "#/prefixItems/0"}}},
            "dependentSchemas": {"x/y": {"$ref": "#/items/properties/%25"}},
        },
    ),
    "a reference to $defs in draft-07": (
        "draft-07",
        {"$ref": "#/$defs/a", "$defs": {"a": {"items": [{"type": "null"}]}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"prefixItems": [{"type": "null"}]}}},
    ),
    "a reference out of the known places": (
        "openapi-3.0",
        {
            "$ref": "#/components/schemas/A",
            "components": {"schemas": {"A": {"type": "object", "properties": {"next": {
                "nullable": True, "allOf": [{"$ref": "#/components/schemas/A"}], "type": "object",
            }}}}},
        },
        {
            "$ref": "#/$defs/A",
            "$defs": {"A": {"type": "object", "properties": {"next": {
                "allOf": [{"$ref": "#/$defs/A"}], "type": ["object", "null"],
            }}}},
        },
    ),
    "two strays of one name": (
        "draft-04",
        {
            "allOf": [{"$ref": "#/one/a"}, {"$ref": "#/two/a"}], "definitions": {}, "$defs": {"a": {}},
            "one": {"a": {"const": 1}}, "two": {"a": {"const": 2, "minimum": 2}},
        },
        {
            "allOf": [{"$ref": "#/$defs/a_2"}, {"$ref": "#/$defs/a_3"}], "definitions": {},
            "one": {"a": {"const": 1}}, "two": {"a": {"const": 2, "minimum": 2}},
            "$defs": {"a": {}, "a_2": {}, "a_3": {"minimum": 2}},
        },
    ),
    "a reference to additionalItems that says nothing": (
        "2019-09",
        {"items": {"$ref": "#/additionalItems"}, "additionalItems": {"const": 1}},
        {"items": {"$ref": "#/$defs/additionalItems"}, "$defs": {"additionalItems": {"const": 1}}},
    ),
    "strays that need no translation": ("draft-07", {"not": {"$ref": "#/x/a"}, "x": {"a": {"const": 1}}}, None),
    "nullable": (
        "openapi-3.0",
        {"properties": {"a": {"type": "string", "nullable": True}, "b": {"type": "string", "nullable": False}}},
        {"properties": {"a": {"type": ["string", "null"]}, "b": {"type": "string"}}},
    ),
    "nullable leaves the enum as it is": (
        "openapi-3.0", {"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a"]},
    ),
    "nullable without a type": ("openapi-3.0", {"nullable": True, "enum": ["a"]}, {"enum": ["a"]}),
    "nullable is of OpenAPI alone": ("2020-12", {"type": "string", "nullable": True}, None),
    "identifiers of draft-04": (
        "draft-04",
        {"id": "http://example.com/a#", "definitions": {"b": {"id": "#b", "$id": "no"}}, "not": {"$ref": "#b"}},
        {"$id": "http://example.com/a", "definitions": {"b": {"$anchor": "b"}}, "not": {"$ref": "#b"}},
    ),
    "an identifier that is an anchor": ("draft-07", {"$id": "#a", "type": "null"}, {"$anchor": "a", "type": "null"}),
    "an identifier that is a pointer": ("draft-07", {"$id": "#/properties/a", "type": "null"}, {"type": "null"}),
    "an identifier beside a reference": ("draft-06", {"$id": "http://a/b", "$ref": "#/x"}, {"$ref": "#/x"}),
    "references within an embedded resource": (
        "draft-07",
        {
            "definitions": {"a": {"$id": "http://a/b", "items": [{"$ref": "#/items/1"}, {"$ref": "http://a/b#/items/0"}]}},
            "items": [{"$ref": "http://a/b#/items/1"}, {"$ref": "http://other/#/items/1"}],
            "not": {"$ref": "#/definitions/a/items/0"},
        },
        {
            "definitions": {"a": {
                "$id": "http://a/b",
                "prefixItems": [{"$ref": "#/prefixItems/1"}, {"$ref": "http://a/b#/prefixItems/0"}],
            }},
            "prefixItems": [{"$ref": "http://a/b#/prefixItems/1"}, {"$ref": "http://other/#/items/1"}],
            "not": {"$ref": "#/definitions/a/prefixItems/0"},
        },
    ),
    "an embedded dialect": (
        "2020-12",
        {"$defs": {"a": {"$id": "http://a/b", "$schema": DRAFT_07, "items": [True]}}, "prefixItems": [True]},
        {"$defs": {"a": {"$id": "http://a/b", "$schema": LATEST, "prefixItems": [True]}}, "prefixItems": [True]},
    ),
    "an embedded dialect without an identifier": (
        "2020-12",
        {"properties": {"a": {"$schema": DRAFT_07, "$ref": "#/$defs/b", "type": "null"}}, "$defs": {"b": {}}},
        {"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {}}},
    ),
    "the dialect is named": (
        "draft-07", {"$schema": DRAFT_07, "type": "object"}, {"$schema": LATEST, "type": "object"},
    ),
    "the dialect is named, but another one is meant": (
        "2020-12", {"$schema": DRAFT_07, "const": 1}, {"$schema": LATEST, "const": 1},
    ),
    "$recursiveRef": (
        "2019-09",
        {"$recursiveAnchor": True, "properties": {"a": {"$recursiveRef": "#"}}, "$defs": {"b": {
            "$ref": "#/$defs/c", "$recursiveRef": "#", "allOf": [{}],
        }, "c": {}}},
        {"properties": {"a": {"$ref": "#"}}, "$defs": {"b": {
            "$ref": "#/$defs/c", "allOf": [{}, {"$ref": "#"}],
        }, "c": {}}},
    ),
    "$dynamicRef": (
        "2020-12",
        {"properties": {"a": {"$dynamicRef": "#n"}}, "$dynamicAnchor": "n"},
        {"properties": {"a": {"$ref": "#n"}}, "$dynamicAnchor": "n"},
    ),
    "data is not touched": (
        "draft-04",
        {
            "enum": [{"items": [{}], "id": "#a"}], "default": {"$ref": "#/x", "exclusiveMinimum": True, "minimum": 1},
            "examples": [{"dependencies": {"a": ["b"]}}], "example": {"const": 1},
        },
        None,
    ),
    "names are not keywords": (
        "draft-07",
        {"properties": {name: {} for name in ("dependencies", "items", "$ref", "definitions", "$schema", "$id")}},
        None,
    ),
    "keywords inside of names": (
        "draft-07",
        {"properties": {"items": {"items": [True]}, "dependencies": {"dependencies": {"dependencies": ["items"]}}}},
        {"properties": {
            "items": {"prefixItems": [True]}, "dependencies": {"dependentRequired": {"dependencies": ["items"]}},
        }},
    ),
    "a boolean": ("draft-07", True, None),
    "what no validator takes": ("draft-07", {"type": 5, "items": 5, "properties": [1], "dependencies": 3}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_labelled(name: str) -> None:
    dialect, schema, expected = CASES[name]
    before = copy.deepcopy(schema)
    translated = translate(schema, dialect)
    assert schema == before
    if expected is None:
        assert translated is schema
    else:
        assert translated == expected


@pytest.mark.parametrize(
    ("dialect", "schema", "reason", "pointer"),
    [
        ("draft-03", {}, "the dialect of the schema is not known here", ""),
        (
            "2020-12",
            {"$defs": {"a": {"$id": "x", "$schema": "http://example.com/own"}}},
            "a schema of a dialect that is not known here",
            "/$defs/a",
        ),
        (
            "2019-09",
            {"contains": {}, "not": {"$id": "a", "$schema": LATEST, "unevaluatedItems": False}},
            "contains beside unevaluatedItems means something else in 2020-12",
            "",
        ),
        (
            "2019-09",
            {
                "$recursiveAnchor": True,
                "not": {"$recursiveRef": "#"},
                "$defs": {"a": {"$id": "a", "$recursiveAnchor": True}},
            },
            "$recursiveRef depends on where it is reached from",
            "/not",
        ),
        (
            "2020-12",
            {
                "$dynamicAnchor": "n",
                "items": {"$dynamicRef": "#n"},
                "$defs": {"a": {"$id": "a", "$dynamicAnchor": "n"}},
            },
            "$dynamicRef depends on where it is reached from",
            "/items",
        ),
        (
            "draft-07",
            {"$id": "http://a/b", "not": {"$id": "http://a/c#d"}},
            "$id names a resource and an anchor at once",
            "/not",
        ),
        (
            "draft-07",
            {"items": {"$ref": "#root/a"}, "not": {"$id": "#root/a"}},
            "2020-12 allows no anchor of the name 'root/a'",
            "/not",
        ),
    ],
)
def test_refused(dialect: str, schema: Any, reason: str, pointer: str) -> None:
    with pytest.raises(Untranslatable) as trouble:
        translate(schema, dialect)
    assert (trouble.value.reason, trouble.value.pointer) == (reason, pointer)
    assert str(trouble.value) == (f"{pointer}: {reason}" if pointer else reason)


@pytest.mark.parametrize(
    ("schema", "dialect"),
    [
        ({}, "2020-12"),
        (True, "2020-12"),
        ({"$schema": LATEST}, "2020-12"),
        ({"$schema": LATEST + "#"}, "2020-12"),
        ({"$schema": "https://json-schema.org/schema"}, "2020-12"),
        ({"$schema": "http://json-schema.org/schema#"}, "2020-12"),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema"}, "2019-09"),
        ({"$schema": DRAFT_07}, "draft-07"),
        ({"$schema": "https://json-schema.org/draft-07/schema"}, "draft-07"),
        ({"$schema": "http://json-schema.org/draft-06/schema#"}, "draft-06"),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, "draft-04"),
        ({"$schema": "https://spec.openapis.org/oas/3.1/dialect/2024-11-10"}, "2020-12"),
        ({"$schema": "https://spec.openapis.org/oas/3.2/dialect/2025-09-17"}, "2020-12"),
        ({"$schema": "http://example.com/schema"}, "unknown"),
        ({"$schema": 7}, "unknown"),
    ],
)
def test_dialect_of(schema: Any, dialect: str) -> None:
    assert dialect_of(schema) == dialect


def test_dialect_of_takes_a_default() -> None:
    assert dialect_of({"type": "object"}, default="draft-07") == "draft-07"


@pytest.mark.parametrize("keyword", ["items", "not", "properties", "allOf", "dependencies"])
def test_deep_schemas(keyword: str) -> None:
    schema: dict[str, Any] = {"items": [True]}
    for _ in range(3_000):
        schema = {keyword: {"a": schema} if keyword in ("properties", "dependencies") else [schema]}
        schema = {"not": schema[keyword][0]} if keyword == "not" else schema
    translated = translate(schema, "draft-07")
    while "prefixItems" not in translated or translated["prefixItems"] != [True]:
        translated = next(iter(translated.values()))
        translated = translated["a"] if isinstance(translated, dict) and "a" in translated else translated
        translated = translated[0] if isinstance(translated, list) else translated
