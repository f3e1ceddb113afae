"""The suite of edits in fixtures/edits: each file is found by itself, each case is judged to the last field."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.canonical import pointer_key
from fusion_contracts.schema import changes, explain
from fusion_contracts.schema.changes import Edit
from fusion_contracts.schema.document import MISSING, step

SUITE = Path(__file__).resolve().parents[2] / "fixtures" / "edits"
CASES: list[Any] = [
    pytest.param(case, id=f"{file.stem}: {case['description']}")
    for file in sorted(SUITE.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))
]
OPTIONS = ("output", "world")
TYPES = [name for name in changes.__all__ if name not in ("Edit", "Place", "SchemaChange")]
# Facts that have a direction: something appeared, vanished, or changed either way.
ONE_WAY = {"DialectChanged", "Rewritten", "SchemaEmptied", "TitleChanged", "ExamplesChanged", "PropertyRenamed"}


def explained(case: dict[str, Any]) -> Any:
    return explain(case["old"], case["new"], **{name: case[name] for name in OPTIONS if name in case})


def shown(edit: Edit) -> dict[str, Any]:
    """An edit as the suite writes it."""
    change = edit.change
    place = {"path": change.place.path, "old": change.place.old, "new": change.place.new}
    uses = {"uses": list(change.place.uses)} if change.place.uses else {}
    own = {f.name: getattr(change, f.name) for f in fields(change) if f.name not in ("place", "before", "after")}
    own = {name: list(value) if isinstance(value, tuple) else value for name, value in own.items() if value is not None}
    outcome = {"effect": edit.effect, **({"witness": edit.witness} if edit.has_witness else {})}
    reason = {"reason": edit.reason} if edit.reason else {}
    return {"type": type(change).__name__, **place, **uses, **own, **outcome, **reason}


def found(document: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        document = step(document, pointer_key(token))
    return document


@pytest.mark.parametrize("case", CASES)
def test_the_edits_are_exact(case: dict[str, Any]) -> None:
    explanation = explained(case)
    assert explanation.comparison.verdict == case["verdict"]
    assert [shown(edit) for edit in explanation.edits] == case["edits"]


@pytest.mark.parametrize("case", CASES)
def test_what_an_edit_shows_stands_where_it_points(case: dict[str, Any]) -> None:
    for edit in explained(case).edits:
        place = edit.change.place
        for pointer, side in ((place.old, "old"), (place.new, "new")):
            whole = pointer == "" or type(edit.change).__name__ == "DialectChanged"
            assert pointer is None or whole or found(case[side], pointer) is not MISSING


@pytest.mark.parametrize("case", CASES)
def test_two_validators_confirm_the_witness_of_each_edit(case: dict[str, Any], judges: Any) -> None:
    before, after = (case["new"], case["old"]) if case.get("output") else (case["old"], case["new"])
    dialect = "draft-07" if "draft-07" in json.dumps(before) else "2020-12"
    for edit in explained(case).edits:
        if edit.has_witness:
            assert all(accepts(before, edit.witness, dialect) for accepts in judges)
            assert not any(accepts(after, edit.witness, dialect) for accepts in judges)


@pytest.mark.parametrize("case", CASES)
def test_a_broken_pair_has_an_edit_to_blame_and_a_compatible_one_has_none(case: dict[str, Any]) -> None:
    effects = {edit["effect"] for edit in case["edits"]}
    assert ("breaks" in effects) is (case["verdict"] == "incompatible")
    assert case["verdict"] != "compatible" or effects <= {"safe"}


def test_every_kind_of_change_is_shown_in_both_directions() -> None:
    edits = [edit for param in CASES for edit in param.values[0]["edits"]]
    assert {edit["type"] for edit in edits} == set(TYPES)
    for name in set(TYPES) - ONE_WAY:
        ways = {(edit["old"] is None, edit["new"] is None, edit["effect"]) for edit in edits if edit["type"] == name}
        assert len(ways) > 1 or name in ("PropertyAdded", "PropertyRemoved"), name


@pytest.mark.parametrize("case", CASES)
def test_reading_a_pair_as_output_mirrors_its_edits(case: dict[str, Any]) -> None:
    """What the walk finds does not hang on the direction in which it breaks: the same places, seen from both sides."""
    if case["verdict"] == "undecided" or "DialectChanged" in {edit["type"] for edit in case["edits"]}:
        return
    ways = [explain(case["old"], case["new"], output=output).edits for output in (False, True)]
    annotations = [[shown(e) for e in edits if e.change.place.path and is_annotation(e)] for edits in ways]
    assert sorted(map(json.dumps, annotations[0])) == sorted(map(json.dumps, annotations[1]))


def is_annotation(edit: Edit) -> bool:
    kinds = (changes.TitleChanged, changes.DescriptionChanged, changes.DefaultChanged, changes.FormatChanged)
    return isinstance(edit.change, kinds)
