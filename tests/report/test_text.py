"""The report for a terminal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts import load
from fusion_contracts.canonical import HIDDEN
from fusion_contracts.diff import Finding, Level, Report, Side, diff
from fusion_contracts.errors import Problem
from fusion_contracts.report import json as json_report
from fusion_contracts.report.layout import width_of
from fusion_contracts.report.text import render, render_problems

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")


def finding(rule: str, level: Level, tool: str | None, message: str, pointer: str = "", **more: Any) -> Finding:
    fields = {"server": "chrome", "action": tool, "side": "input", "hint": "Keep the old name.", **more}
    return Finding(rule=rule, level=level, tool=tool, message=message, pointer=pointer, **fields)


def broken(tool: str, message: str, **more: Any) -> Finding:
    return finding("property-renamed", Level.BREAKING, tool, message, "/inputSchema/properties/pageIdx", **more)


def text_of(*findings: Finding, width: int = 90, **options: Any) -> str:
    return render(Report(OLD, NEW, findings), width=width, **options)


# The last digits of a row are the group's id: a hash that these tests do not depend on.
ID = re.compile(r"\b[0-9a-f]{7}$", re.MULTILINE)


def shown(*findings: Finding, width: int = 90, **options: Any) -> str:
    return ID.sub("#######", text_of(*findings, width=width, **options))


def test_nothing() -> None:
    assert text_of() == "no changes\n"


def test_the_model() -> None:
    """The picture of the design, with the rows that its rules give."""
    renamed = "pageIdx replaced by pageId; values may not carry over"
    report = shown(
        *(
            broken(tool, renamed, has_witness=True, witness={"pageIdx": 0}, successor="pageId")
            for tool in ("close_page", "select_page")
        ),
        finding(
            "property-removed", Level.BREAKING, "get_network_request", "url removed", "/inputSchema/properties/url",
            has_witness=True, witness={"url": "https://example.com"}, silent=True,
        ),
        finding(
            "required-property-added", Level.BREAKING, "performance_analyze_insight",
            "insightSetId is new and required", "/inputSchema/properties/insightSetId",
            has_witness=True, witness={"insightName": "LCPBreakdown"},
        ),
        *(
            finding("tool-removed", Level.BREAKING, tool, f"removed; closest: {near}", side="tool", action=None)
            for tool, near in {
                "emulate_cpu": "emulate", "emulate_network": "emulate", "navigate_page_history": "navigate_page",
            }.items()
        ),
        *(
            finding(
                "unclassified-change", Level.RISKY, f"tool_{number}", 'category changed ("A" -> "a")',
                "/annotations/category", side="tool", action=None,
            )
            for number in range(23)
        ),
        *(
            finding("description-changed", Level.RISKY, f"tool_{n}", "m", "/description", side="tool", action=None)
            for n in range(3)
        ),
        *(
            finding(
                "parameter-description-changed", Level.RISKY, "tool_1", f"a{n} reworded",
                f"/inputSchema/properties/a{n}/description",
            )
            for n in range(2)
        ),
        finding("protocol-version-changed", Level.RISKY, None, "protocol 2025-06-18 -> 2025-11-25", side="server"),
        finding(
            "server-version-changed", Level.SAFE, None, "version 0.8.1 -> 0.13.0", "/serverInfo/version", side="server",
            before="0.8.1", after="0.13.0",
        ),
        *(finding("tool-added", Level.SAFE, f"new_{n}", "added", side="tool", action=None) for n in range(3)),
        *(
            finding("optional-property-added", Level.SAFE, "tool_1", f"b{n} added", f"/inputSchema/properties/b{n}")
            for n in range(13)
        ),
        finding("minimum-lowered", Level.SAFE, "tool_1", "c minimum lowered", "/inputSchema/properties/c/minimum"),
        width=96,
    )  # fmt: skip
    assert report == (
        "BREAKING  chrome 0.8.1 -> 0.13.0: 7 breaking, 29 risky, 18 safe\n"
        "  close_page, select_page        pageIdx replaced by pageId; values may not carry over   #######\n"
        '      worked  close_page {"pageIdx": 0}\n'
        "      now     refused: it takes pageId instead\n"
        "  emulate_cpu, emulate_network   removed; closest: emulate                               #######\n"
        "  navigate_page_history          removed; closest: navigate_page\n"
        "  get_network_request            url removed                                             #######\n"
        '      worked  get_network_request {"url": "https://example.com"}\n'
        "      now     refused by its schema; a server that drops unknown keys answers without it\n"
        "  performance_analyze_insight    insightSetId is new and required                        #######\n"
        '      worked  performance_analyze_insight {"insightName": "LCPBreakdown"}\n'
        "      now     refused: insightSetId is missing\n"
        "RISKY\n"
        "  server                         protocol 2025-06-18 -> 2025-11-25                       #######\n"
        '  23 tools                       category changed ("A" -> "a")                           #######\n'
        "  3 tools, 2 arguments           descriptions reworded (--show prose)\n"
        "SAFE  3 tools and 13 optional arguments added, 1 constraint loosened, 1 minor change\n"
        "  (--show safe)\n"
    )


def test_the_id_is_the_group_s_and_stands_once() -> None:
    first, second = broken("a", "x is y now"), broken("b", "x is z now")
    lines = text_of(first, second).splitlines()
    assert [line.split()[0] for line in lines] == ["BREAKING", "a", "b"]
    assert lines[1].endswith(first.group[:7])
    assert len(lines[1]) == 90
    assert first.group[:7] not in lines[2]


def test_a_group_tells_three_differences_and_counts_the_rest() -> None:
    report = shown(*(broken(f"tool{n}", f"was {n}") for n in range(6)))
    assert report == (
        "BREAKING  chrome: 6 breaking\n"
        "  tool0                          was 0                                             #######\n"
        "  tool1                          was 1\n"
        "  tool2                          was 2\n"
        "  tool3, tool4, tool5            3 other changes of this kind (--show all)\n"
    )


def test_many_names_of_a_breaking_row_are_all_there() -> None:
    names = [f"a_rather_long_tool_name_{n}" for n in range(9)]
    report = text_of(*(broken(name, "gone") for name in names), width=60)
    assert all(name in report for name in names)


def test_show_lists_each_finding_with_its_own_id() -> None:
    prose = finding(
        "description-changed", Level.RISKY, "t", "description reworded", "/description", side="tool", action=None,
        before="Old words.", after="New words.",
    )  # fmt: skip
    report = text_of(prose, show=["prose"])
    assert report.splitlines() == [
        "RISKY  chrome: 1 risky",
        f"  t{' ' * 30}description reworded{' ' * 30}{prose.fingerprint[:7]}",
        '      before  "Old words."',
        '      after   "New words."',
        "      next: Keep the old name.",
    ]


def test_show_safe() -> None:
    added = finding("tool-added", Level.SAFE, "new", "added", side="tool", action=None)
    assert shown(added).splitlines() == ["SAFE  chrome: 1 safe", "  1 tool added (--show safe)"]
    assert shown(added, show=["safe"]).splitlines()[1].split() == ["new", "added", "#######"]
    assert shown(added, broken("t", "gone"), show=["all"]).count("#######") == 2


def test_an_answer_that_old_readers_refuse() -> None:
    output = finding(
        "output-field-removed", Level.BREAKING, "t", "id removed", "/outputSchema/properties/id",
        side="output", action=None, has_witness=True, witness={},
    )  # fmt: skip
    assert shown(output).splitlines()[2:] == [
        "      answers t {}",
        "      readers of the old contract refuse it",
    ]


def test_null_is_a_call_s_value_too() -> None:
    assert '      worked  t {"a": null}\n' in shown(broken("t", "gone", has_witness=True, witness={"a": None}))
    assert "      worked  t null\n" in shown(broken("t", "gone", has_witness=True, witness=None))


def test_a_long_call_is_cut_for_people_and_whole_for_machines() -> None:
    found = broken("t", "gone", has_witness=True, witness={"a": "x" * 300})
    line = shown(found).splitlines()[2]
    assert (len(line), line[-1]) == (90, "…")
    assert "x" * 300 in json_report.render(Report(OLD, NEW, (found,)))


def test_several_servers_stand_apart_the_worst_first() -> None:
    report = shown(
        broken("t", "gone", server="b"), broken("t", "gone", server="a"), finding("x", Level.RISKY, "t", "m")
    )
    headers = [line for line in report.splitlines() if not line.startswith(" ")]
    assert headers == ["BREAKING  a: 1 breaking", "", "BREAKING  b: 1 breaking", "", "RISKY  chrome: 1 risky"]


def test_waived_findings_are_counted_and_not_shown() -> None:
    assert shown(broken("t", "gone", waived=True)) == "chrome: 1 waived\n"


def test_what_was_not_checked() -> None:
    problem = Problem("sentry", "start", "no answer to initialize in 60 s, twice", "run the command by itself")
    report = render(Report(OLD, NEW, (broken("t", "gone"),), (problem,)), width=90)
    assert report.endswith(
        "\n\nNOT CHECKED\n"
        "  sentry                         no answer to initialize in 60 s, twice\n"
        "      next: run the command by itself\n"
    )
    assert render_problems([], width=90) == ""
    assert "  all   " in render_problems([Problem(None, "git", "no base", "")], width=90)


def test_colour_repeats_what_words_say() -> None:
    found = broken("t", "gone"), finding("x", Level.RISKY, "t", "m"), finding("tool-added", Level.SAFE, "u", "added")
    coloured = text_of(*found, colour=True)
    assert "\x1b[1;31mBREAKING\x1b[0m  chrome" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text_of(*found)


hostile = st.text(max_size=60)


@given(tool=hostile, message=hostile, server=hostile, value=hostile, width=st.integers(40, 130))
def test_nothing_a_server_chose_leaves_its_line(tool: str, message: str, server: str, value: str, width: int) -> None:
    found = broken(tool, message, server=server, has_witness=True, witness={value: value}, successor=value)
    report = render(Report(OLD, NEW, (found,), (Problem(server, "list", message, value),)), width=width, show=["all"])
    assert not HIDDEN.search(report.replace("\n", ""))
    assert all(width_of(line) <= max(width, 60) for line in report.splitlines()[1:])


@pytest.mark.parametrize(
    ("server", "old", "new"),
    [
        ("chrome-devtools", "0.8.1", "0.13.0"),
        ("playwright", "0.0.70", "0.0.74"),
        ("atlassian", "0.8.1", "0.10.6"),
        ("playwright", "0.0.9", "0.0.26"),
    ],
)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_real_changes(shared: Path, server: str, old: str, new: str, width: int) -> None:
    folder = shared / "catalogs" / server
    report = diff(load(folder / f"{old}.json"), load(folder / f"{new}.json"))

    text = render(report, width=width)

    breaking = [one for one in report.findings if one.level is Level.BREAKING]
    assert breaking
    assert all(one.group[:7] in text for one in breaking)
    words = text.replace("\n", " ").replace(",", " ").split()
    assert all((one.tool or "server") in words for one in breaking)
    assert all(width_of(line) <= width for line in text.splitlines()[1:])
    assert len(text.splitlines()) < len(report.findings) * 2
