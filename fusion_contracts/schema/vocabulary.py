"""The keywords of JSON Schema 2020-12, sorted: which are annotations, and which speak of which type."""

from __future__ import annotations

from typing import Any

__all__ = ["ANNOTATIONS", "KEYWORDS_OF", "PROSE", "TYPES", "type_of"]

# What may stand anywhere, also beside a reference, and says nothing of validity.
PROSE = frozenset({
    "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment",
})  # fmt: skip
ANNOTATIONS = PROSE | {
    "$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions", "format", "contentEncoding",
    "contentMediaType", "contentSchema",
}  # fmt: skip
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
OF_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format")
KEYWORDS_OF = {
    "string": ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema"),
    "integer": OF_NUMBERS,
    "number": OF_NUMBERS,
    "array": (
        "items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems",
        "unevaluatedItems",
    ),
    "object": (
        "properties", "patternProperties", "additionalProperties", "required", "propertyNames", "dependentRequired",
        "dependentSchemas", "minProperties", "maxProperties", "unevaluatedProperties",
    ),
}  # fmt: skip


def type_of(value: Any) -> str:
    """The most special type of a JSON value; 1.0 is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
