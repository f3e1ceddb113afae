"""The least bump that findings allow, and the finding where a version moved too little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fusion_contracts.diff import Level, Report
from fusion_contracts.diff.bump import bump_of, least_bump
from fusion_contracts.diff.moved import Moved
from fusion_contracts.diff.rule import find, rule_ids
from fusion_contracts.diff.version import Bump, Version

# What a rule that is SAFE by itself asks for: there is something new, or only another way to say the same.
ADDS = {
    "action-added", "additional-properties-opened", "capability-added", "constraint-loosened", "deprecated-added",
    "enum-dropped", "enum-value-added", "null-added", "optional-property-added", "output-enum-value-removed",
    "output-field-added", "output-field-now-required", "output-format-added", "output-narrowed",
    "output-schema-added", "output-type-narrowed", "prompt-added", "prompt-argument-added", "property-became-optional",
    "resource-added", "resource-template-added", "server-added", "tool-added", "type-widened", "union-branch-added",
}  # fmt: skip
SAYS = {
    "annotation-changed", "equivalent-rewrite", "examples-changed", "hint-without-effect", "icons-changed",
    "server-info-changed", "title-changed",
}  # fmt: skip


def test_every_rule_that_is_safe_by_itself_was_thought_about() -> None:
    safe = {identifier for identifier in rule_ids() if find(identifier).usual is Level.SAFE}
    assert safe == ADDS | SAYS | {"server-version-changed"}


@pytest.mark.parametrize("identifier", sorted(ADDS | SAYS | {"server-version-changed"}))
def test_what_a_safe_rule_asks_for(identifier: str, compared: Callable[..., Report]) -> None:
    (finding,) = [one for one in compared(find(identifier).example).findings if one.rule == identifier]
    expected = Bump.MINOR if identifier in ADDS else Bump.PATCH if identifier in SAYS else Bump.NONE
    assert bump_of(finding) is expected


@pytest.mark.parametrize(
    ("identifier", "level", "bump"),
    [
        ("tool-removed", Level.BREAKING, Bump.MAJOR),
        ("tool-removed", Level.RISKY, Bump.MINOR),  # the project gave the rule another level
        ("property-removed", Level.RISKY, Bump.MINOR),
        ("default-changed", Level.RISKY, Bump.MINOR),
        ("description-changed", Level.RISKY, Bump.PATCH),
        ("description-changed", Level.BREAKING, Bump.MAJOR),
        ("instructions-changed", Level.RISKY, Bump.PATCH),
        ("catalog-tokens-grew", Level.RISKY, Bump.PATCH),
        ("maximum-lowered", Level.SAFE, Bump.PATCH),  # proved to refuse no call
    ],
)
def test_what_other_rules_ask_for(identifier: str, level: Level, bump: Bump, compared: Callable[..., Report]) -> None:
    (finding,) = [one for one in compared(find(identifier).example).findings if one.rule == identifier]
    assert bump_of(replace(finding, level=level)) is bump


def test_a_waived_break_counts(compared: Callable[..., Report]) -> None:
    findings = compared(find("tool-removed").example).findings
    assert least_bump(replace(finding, waived=True) for finding in findings) is Bump.MAJOR


def test_nothing_asks_for_nothing() -> None:
    assert least_bump(()) is Bump.NONE


SINCE = "the changes since v1.4.0"


def moved(before: str, after: str, bump: Bump = Bump.MAJOR) -> Moved:
    return Moved("pages", "v1.4.0", bump, Version.parse(before), Version.parse(after), "pyproject.toml")


@pytest.mark.parametrize(
    ("before", "after", "bump", "message", "hint"),
    [
        (
            "1.4.0", "1.4.0", Bump.MAJOR,
            "version is still 1.4.0; the changes since v1.4.0 need a major bump: 2.0.0 or later in pyproject.toml",
            "Set the version in pyproject.toml to 2.0.0 or later.",
        ),
        (
            "0.4.0", "0.4.1", Bump.MAJOR,
            f"version went from 0.4.0 to 0.4.1; {SINCE} need a minor bump: 0.5.0 or later in pyproject.toml",
            "Set the version in pyproject.toml to 0.5.0 or later.",
        ),
        (
            "2.0.0-rc.1", "2.0.0-rc.1", Bump.PATCH,
            f"version is still 2.0.0-rc.1; {SINCE} need any bump: one after 2.0.0-rc.1 in pyproject.toml",
            "Set the version in pyproject.toml to one after 2.0.0-rc.1.",
        ),
        (
            "1.4.0", "1.3.0", Bump.NONE,
            "version went back from 1.4.0 to 1.3.0; it was 1.4.0 at v1.4.0",
            "Set the version in pyproject.toml to 1.4.0 or later.",
        ),
        (
            "1.4.0", "1.3.0", Bump.MAJOR,
            "version went back from 1.4.0 to 1.3.0; it was 1.4.0 at v1.4.0",
            "Set the version in pyproject.toml to 2.0.0 or later.",
        ),
    ],
)  # fmt: skip
def test_the_finding_says_what_it_was_is_and_has_to_be(
    before: str, after: str, bump: Bump, message: str, hint: str
) -> None:
    (finding,) = moved(before, after, bump).findings()
    assert (finding.rule, finding.level, finding.pointer) == (
        "version-bump-missing", Level.BREAKING, "/serverInfo/version",
    )  # fmt: skip
    assert (finding.message, finding.hint, finding.before, finding.after) == (message, hint, before, after)
    assert bump_of(finding) is Bump.NONE


def test_a_version_that_moved_enough_is_no_finding() -> None:
    assert moved("1.4.0", "2.0.0").findings() == []


def test_its_example_fires_the_rule(build: Callable[..., Any], compared: Callable[..., Report]) -> None:
    example = find("version-bump-missing").example
    report = compared(example)
    assert sorted(one.rule for one in report.findings) == sorted(example.also)
    before, after = (Version.parse(build(side).info["version"]) for side in (example.old, example.new))
    answer = Moved("pages", "v1.4.0", least_bump(report.findings), before, after, "serverInfo")
    assert [one.rule for one in answer.findings()] == ["version-bump-missing"]
