"""What the tests of refused arguments share: the schema of a call that draws, and the lines that a model reads."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from fusion_contracts import ValidationReport, explain_validation

OBJECT = {"type": "object"}
RENDER = {
    "type": "object",
    "properties": {
        "style_id": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "options": {"type": "object", "properties": {"a": {"type": "number"}}},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "format": {"enum": ["png", "jpeg"]},
        "wait": {"type": "boolean"},
    },
    "required": ["style_id"],
    "additionalProperties": False,
}


def explain(schema: Any, arguments: Any, **options: Any) -> ValidationReport:
    return explain_validation(schema, arguments, action="render", **options)


def lines(report: ValidationReport) -> dict[str, str]:
    """The lines that a model reads, by field; checks on the way that the text is sound."""
    text = report.to_xml()
    root = ET.fromstring(text)  # our own text
    assert root.tag == "validation_error"
    assert len(text) <= 2000
    return {str(field.get("name")): str(field.text) for field in root.findall("field")}


def one(prop: Any, value: Any) -> str:
    """The line about one argument."""
    found = lines(explain({**OBJECT, "properties": {"f": prop}}, {"f": value}))
    assert list(found) == ["f"]
    return found["f"]
