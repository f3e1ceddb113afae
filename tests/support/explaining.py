"""What the tests of explanations share: schemas, contracts, and the text of a report."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from fusion_contracts import ServerContract, Tool, ValidationReport, explain_validation


def closed(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def contract(version: str = "", **tools: Any) -> ServerContract:
    info = {"version": version} if version else {}
    return ServerContract("s", info=info, tools={name: Tool(name, input_schema=part) for name, part in tools.items()})


def explain(given: Any, arguments: Any, **options: Any) -> ValidationReport:
    return explain_validation(given, arguments, action="t", **options)


def text_of(report: ValidationReport) -> str:
    text = report.to_xml()
    ET.fromstring(text)
    assert len(text) <= 2000
    return text
