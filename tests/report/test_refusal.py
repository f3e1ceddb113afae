"""Why a call fails now."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.diff import Finding, Level
from fusion_contracts.report.refusal import refusal


@pytest.mark.parametrize(
    ("pointer", "witness", "told"),
    [
        ("/inputSchema/properties/unit", {"unit": "K"}, 'refused: unit is "K"'),
        ("/inputSchema/properties/unit/enum", {"unit": None}, "refused: unit is null"),
        ("/inputSchema/properties/unit", {"other": 1}, "refused: unit is missing"),
        ("/inputSchema/properties/a~1b/minimum", {"a/b": 1.5}, "refused: a/b is 1.5"),
        ("/inputSchema/properties/list/items/properties/x", {"list": [{"x": [1]}]}, "refused: list[].x is [1]"),
        ("/inputSchema/properties/list/items/properties/x", {"list": [{}]}, "refused: list[].x is missing"),
        ("/inputSchema/properties/list/items", {"list": ["x"]}, 'refused: list[] is "x"'),
        ("/inputSchema/properties/list/items", {"list": [1, "x"]}, "refused by its schema"),
        ("/inputSchema/properties/list/items/properties/x", {"list": [{}, {"x": 1}]}, "refused by its schema"),
        ("/inputSchema/properties/list/items/properties/x", {"list": []}, "refused by its schema"),
        ("/inputSchema/properties/x/anyOf/1/properties/y", {"x": {"y": 0}}, "refused: x.y is 0"),
        ("/inputSchema/properties/text", {"text": "x" * 99}, f'refused: text is "{"x" * 38}…'),
        ("/inputSchema/properties/text", {"text": "\u202e"}, 'refused: text is "\\u{202e}"'),
        ("/inputSchema", {"extra": 1}, "refused by its schema"),
        ("/inputSchema/additionalProperties", {"extra": 1}, "refused by its schema"),
        ("/inputSchema/$defs/Unit", {"unit": "K"}, "refused by its schema"),
        ("/inputSchema/properties", {"properties": 1}, "refused by its schema"),
        ("/inputSchema/properties/x/properties/y", {"x": 5}, "refused: x.y is missing"),
    ],
)
def test_the_argument_is_named(pointer: str, witness: Any, told: str) -> None:
    assert refusal(finding(pointer, witness)) == told


def finding(pointer: str, witness: Any, rule: str = "enum-value-removed", **more: Any) -> Finding:
    return Finding(
        rule=rule,
        level=Level.BREAKING,
        server="s",
        tool="t",
        action="t",
        side="input",
        pointer=pointer,
        message="m",
        hint="",
        has_witness=True,
        witness=witness,
        **more,
    )


def test_a_name_that_is_gone() -> None:
    place, witness = "/inputSchema/properties/url", {"url": "x"}
    assert refusal(finding(place, witness, "property-removed")) == "refused: url is no argument now"
    assert refusal(finding(place, witness, "property-removed", silent=True)) == (
        "refused by its schema; a server that drops unknown keys answers without it"
    )
    assert refusal(finding(place, witness, successor="uri")) == "refused: it takes uri instead"
