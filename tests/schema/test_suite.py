"""The language-neutral suite in fixtures/subsumption: each file is found by itself, each case is judged exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.schema import compare

SUITE = Path(__file__).resolve().parents[2] / "fixtures" / "subsumption"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['description']}")
    for file in sorted(SUITE.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))
]
KEYWORDS = {
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "pattern", "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
    "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "items", "prefixItems", "contains",
    "minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "allOf", "anyOf", "oneOf", "not", "if", "then",
    "else", "$ref", "$defs", "$anchor", "$id", "unevaluatedProperties", "unevaluatedItems", "dependencies",
    "additionalItems", "definitions",
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_verdict_is_exact_and_two_validators_confirm_both_witnesses(case: dict[str, Any], judges: Any) -> None:
    old, new, dialect = case["old"], case["new"], case["dialect"]
    answer = compare(old, new, world=case["world"], dialect=dialect)
    assert answer.verdict == case["verdict"], answer
    assert answer.has_witness is ("witness" in case)
    assert bool(answer.reason) is (answer.verdict == "undecided")
    for witness in (case["witness"], answer.witness) if answer.has_witness else ():
        for accepts in judges:
            assert accepts(old, witness, dialect), witness
            assert not accepts(new, witness, dialect), witness


def test_the_suite_is_large_and_speaks_of_every_keyword_on_both_sides() -> None:
    cases: list[Any] = [param.values[0] for param in CASES]
    assert len(cases) >= 150
    for side in ("old", "new"):
        written = json.dumps([case[side] for case in cases])
        assert {keyword for keyword in KEYWORDS if f'"{keyword}"' not in written} == set()


@pytest.mark.parametrize("case", CASES)
def test_a_schema_against_itself_is_compatible(case: dict[str, Any]) -> None:
    for side in ("old", "new"):
        assert compare(case[side], case[side], world=case["world"], dialect=case["dialect"]).verdict == "compatible"
