"""The labelled pairs of schemas that stand beside the checkout: all decided, all right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.schema import compare


@pytest.mark.parametrize(("name", "world"), [("cases.jsonl", "open"), ("declared.jsonl", "declared")])
def test_every_label_is_met(shared: Path, judges: Any, name: str, world: str) -> None:
    wrong: list[Any] = []
    for line in (shared / "schema" / name).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        answer = compare(case["old"], case["new"], world=world, dialect=case["dialect"])
        if answer.verdict != ("compatible" if case["compatible"] else "incompatible"):
            wrong.append((case["id"], answer.verdict, answer.reason))
        elif answer.has_witness and case["dialect"] != "openapi-3.0":
            sides = [judges[1](case[side], answer.witness, case["dialect"]) for side in ("old", "new")]
            wrong += [] if sides == [True, False] else [(case["id"], "witness", answer.witness)]
    assert wrong == []
