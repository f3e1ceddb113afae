"""Other levels for rules, and what a run ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.diff import Level, Report, Side, diff, exit_code, failing, read_levels
from fusion_contracts.diff.policy import FailOn
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import ServerContract

SIDES = Side("a", "lock"), Side("b", "lock")
OLD = {"tools": [{"name": "a", "description": "Open a page."}, {"name": "b"}]}
NEW = {"tools": [{"name": "a", "description": "Open one page."}]}


def test_a_rule_takes_the_level_that_the_project_gives(build: Callable[..., ServerContract]) -> None:
    levels: dict[str, str | Level] = {"description-changed": "safe", "tool-removed": Level.RISKY}
    report = diff(build(OLD), build(NEW), levels=levels)
    assert [(finding.rule, finding.level) for finding in report.findings] == [
        ("tool-removed", Level.RISKY),
        ("description-changed", Level.SAFE),
    ]


def test_levels_are_read_in_any_case() -> None:
    assert read_levels({"tool-added": "Breaking", "tool-removed": "SAFE"}) == {
        "tool-added": Level.BREAKING,
        "tool-removed": Level.SAFE,
    }


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        (
            {"tool-remove": "safe"},
            ('there is no rule "tool-remove"; '
            "the nearest: tool-removed, tool-renamed, action-removed; fusion explain lists them all"),
        ),
        ({"%%": "safe"}, 'there is no rule "%%"; fusion explain lists them all'),
        (
            {"tool-removed": "off"},
            '"off" is no level, for the rule tool-removed; write one of safe, risky, breaking',
        ),
        ({"tool-removed": 3}, '"3" is no level, for the rule tool-removed; write one of safe, risky, breaking'),
    ],
)
def test_an_unknown_rule_or_level_is_one_sentence(levels: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FusionError) as raised:
        read_levels(levels)
    assert str(raised.value) == sentence
    assert raised.value.problem.stage == "usage"


@pytest.mark.parametrize(
    ("level", "fail_on", "code"),
    [
        ("breaking", "breaking", 1),
        ("breaking", "risky", 1),
        ("breaking", "any", 1),
        ("breaking", "never", 0),
        ("risky", "breaking", 0),
        ("risky", "risky", 1),
        ("risky", "any", 1),
        ("safe", "risky", 0),
        ("safe", "any", 1),
        ("safe", "never", 0),
    ],
)
def test_the_exit_code_follows_the_level_to_fail_on(
    build: Callable[..., ServerContract], level: str, fail_on: FailOn, code: int
) -> None:
    report = diff(build({"tools": []}), build({"tools": [{"name": "a"}]}), levels={"tool-added": level})
    assert exit_code(report, fail_on) == code
    assert len(failing(report, fail_on)) == code


def test_what_could_not_be_checked_ends_with_two_unless_findings_fail(build: Callable[..., ServerContract]) -> None:
    problem = Problem("mail", "start", "no answer", "")
    found = diff(build(OLD), build(NEW)).findings
    assert exit_code(Report(*SIDES)) == 0
    assert exit_code(Report(*SIDES, errors=(problem,))) == 2
    assert exit_code(Report(*SIDES, findings=found, errors=(problem,))) == 1
    assert exit_code(Report(*SIDES, errors=(problem,)), stale=True) == 1
    assert exit_code(Report(*SIDES), "never", stale=True) == 1


def test_an_unknown_level_to_fail_on_is_one_sentence() -> None:
    wrong: Any = "severe"
    with pytest.raises(FusionError) as raised:
        failing(Report(*SIDES), wrong)
    assert str(raised.value) == '"severe" is nothing to fail on; write one of breaking, risky, any, never'
