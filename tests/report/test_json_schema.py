"""The published schema of the JSON report, against real reports: none is refused, and it is strict."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fusion_contracts.diff import Finding, Level, Report, Side
from fusion_contracts.diff.moved import Moved
from fusion_contracts.diff.version import Bump, Version
from fusion_contracts.errors import Problem
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.json import render

CASES = sorted(path.name for path in (Path(__file__).resolve().parents[2] / "fixtures" / "diff").iterdir())


@pytest.fixture(scope="session")
def validator(root: Path) -> Draft202012Validator:
    schema = json.loads((root / "docs" / "schema" / "report.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(validator: Draft202012Validator, report: Report) -> list[str]:
    document = json.loads(render(report, Context()))
    return [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(document)]


@pytest.mark.parametrize("name", [*(f"diff/{name}" for name in CASES), "hostile"])
def test_every_case_is_valid(name: str, case: Callable[..., Any], validator: Draft202012Validator) -> None:
    assert faults(validator, case(name)[0]) == []


def whole() -> Report:
    """A report that has every key."""
    found = Finding(
        rule="property-renamed", level=Level.BREAKING, server="s", tool="t", action="t", side="input", pointer="/a~1b",
        message="m", hint="h", has_witness=True, witness=None, successor="c", silent=True, waived=True, lockfile="l",
    )  # fmt: skip
    side = Side("git", "git", "0" * 40)
    return Report(side, side, (found,), (Problem(None, "git", "m", ""),))


def test_every_key_has_its_place(validator: Draft202012Validator) -> None:
    assert faults(validator, whole()) == []
    schema: Any = validator.schema
    properties = schema["$defs"]["finding"]["properties"]
    assert set(properties) == set(whole().to_dict()["findings"][0])


def test_bumps_are_there_where_they_were_asked_for(validator: Draft202012Validator) -> None:
    moved = Moved("s", "v1", Bump.MAJOR, Version.parse("1.0.0"), Version.parse("1.1.0"), "pyproject.toml")
    locks: dict[str | None, Compared] = {None: Compared(moved=[moved]), "a/fusion.lock": Compared(moved=[moved])}
    document = json.loads(render(whole(), Context(compared=locks)))
    assert list(validator.iter_errors(document)) == []
    schema: Any = validator.schema
    assert set(schema["$defs"]["bump"]["properties"]) == set(document["bumps"][1])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The objects of a report that have a fixed shape."""
    if isinstance(value, dict):
        return [path, *(one for key, item in value.items() for one in places(item, (*path, key)))]
    return (
        [one for index, item in enumerate(value) for one in places(item, (*path, index))] if type(value) is list else []
    )


@pytest.mark.parametrize("place", places(whole().to_dict()))
def test_no_object_takes_another_key_or_lacks_one(place: tuple[Any, ...], validator: Draft202012Validator) -> None:
    optional = {"revision", "witness", "successor", "silent", "waived", "lockfile"}
    keys = list(at(whole().to_dict(), place))
    for key in keys:
        document = whole().to_dict()
        del at(document, place)[key]
        assert validator.is_valid(document) == (key in optional and place != ("summary",)), key
    document = whole().to_dict()
    at(document, place)["more"] = 1
    assert not validator.is_valid(document)


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("schema_version",), 2),
        (("summary", "verdict"), "FINE"),
        (("summary", "breaking"), -1),
        (("findings", 0, "level"), "breaking"),
        (("findings", 0, "side"), "both"),
        (("findings", 0, "pointer"), "a"),
        (("findings", 0, "pointer"), "/a~2"),
        (("findings", 0, "group"), "1234567"),
        (("findings", 0, "tool"), 1),
        (("findings", 0, "waived"), False),
        (("findings", 0, "silent"), False),
        (("errors", 0, "stage"), "later"),
        (("base", "revision"), "main"),
    ],
)
def test_values_are_checked(place: tuple[Any, ...], value: Any, validator: Draft202012Validator) -> None:
    document = whole().to_dict()
    at(document, place[:-1])[place[-1]] = value
    assert not validator.is_valid(document)


def test_what_does_not_apply_is_null(validator: Draft202012Validator) -> None:
    (found,) = whole().findings
    assert faults(validator, replace(whole(), findings=(replace(found, tool=None, action=None),))) == []
