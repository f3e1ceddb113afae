"""Findings in words and numbers."""

from __future__ import annotations

import pytest

from fusion_contracts.diff import Finding, Level
from fusion_contracts.report.counts import count, joined, levels, of_prose, of_safe


def safe(rule: str, side: str = "input", tool: str | None = "t", pointer: str = "/x") -> Finding:
    return Finding(
        rule=rule, level=Level.SAFE, server="s", tool=tool, action=None, side=side,  # type: ignore[arg-type]
        pointer=pointer, message="m", hint="",
    )  # fmt: skip


def test_plurals() -> None:
    assert [count(1, "tool"), count(2, "tool"), count(0, "tool"), count(1204, "capability")] == [
        "1 tool", "2 tools", "0 tools", "1,204 capabilities",
    ]  # fmt: skip


def test_rows_of_words() -> None:
    assert [joined([]), joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_levels() -> None:
    assert levels(11, 29, 18) == "11 breaking, 29 risky, 18 safe"
    assert levels(0, 0, 1, waived=2) == "1 safe, 2 waived"
    assert levels(0, 0, 0) == "no changes"


@pytest.mark.parametrize(
    ("findings", "told"),
    [
        ([safe("tool-added", "tool")] * 3, "3 tools added"),
        ([safe("optional-property-added"), safe("tool-added", "tool")], "1 tool and 1 optional argument added"),
        ([safe("minimum-lowered"), safe("enum-value-added")], "2 constraints loosened"),
        ([safe("output-narrowed", "output")], "1 output narrowed"),
        ([safe("equivalent-rewrite", "tool")], "1 schema rewritten without effect"),
        (
            [safe("title-changed", "tool"), safe("server-version-changed", "server", None)],
            "1 title changed, version changed",
        ),
        (
            [safe("capability-added", "server", None), safe("maximum-raised"), safe("title-changed")],
            "1 capability added, 1 constraint loosened, 1 title changed",
        ),
        ([safe("description-changed", "tool")] * 2, "2 texts with other white space"),
        (
            [safe("hint-without-effect", "tool"), safe("default-changed")],
            "1 default added without effect, 1 hint without effect",
        ),
        ([safe("icons-changed", "tool")], "1 minor change"),
    ],
)
def test_safe_findings_in_one_line(findings: list[Finding], told: str) -> None:
    assert of_safe(findings) == told


def test_reworded_prose() -> None:
    tool = safe("description-changed", "tool", "a")
    argument = safe("parameter-description-changed", "input", "a")
    server = safe("instructions-changed", "server", None)
    assert of_prose([tool, tool, argument, argument, argument]) == "1 tool, 3 arguments"
    assert of_prose([server, tool]) == "server, 1 tool"
    assert of_prose([argument]) == "1 argument"
