"""Every folder of fixtures/diff is a case: what changes from old.json to new.json gives exactly expected.json.

A row of expected.json is rule, level, tool and pointer.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fusion_contracts

CASES = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "diff").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path) -> None:
    old, new = (fusion_contracts.load(case / f"{side}.json") for side in ("old", "new"))
    findings = fusion_contracts.diff(old, new).to_dict()["findings"]
    rows = [[finding[key] for key in ("rule", "level", "tool", "pointer")] for finding in findings]
    assert rows == json.loads((case / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_side_differs_from_itself(case: Path) -> None:
    for side in ("old", "new"):
        contract = fusion_contracts.load(case / f"{side}.json")
        assert fusion_contracts.diff(contract, contract).findings == ()
        again = fusion_contracts.load(case / f"{side}.json")
        assert fusion_contracts.diff(contract, again).findings == ()


def test_there_are_cases() -> None:
    assert len(CASES) >= 40
