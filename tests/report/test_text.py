"""The report for a terminal: its parts and their order, its last lines, and what holds of every one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_report import NEW, OLD, broken, finding, shown, text_of

from fusion_contracts import load
from fusion_contracts.canonical import HIDDEN
from fusion_contracts.diff import Cost, Level, Report, diff
from fusion_contracts.errors import Problem
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.text import render, render_problems, why
from fusion_contracts.report.grouping import groups, identifier
from fusion_contracts.report.layout import width_of


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
        "SAFE  3 tools and 13 optional arguments added, 1 constraint loosened, version changed\n"
        "  (--show safe)\n"
    )


def test_show_lists_each_finding_with_its_own_id() -> None:
    prose = finding(
        "description-changed", Level.RISKY, "t", "description reworded", "/description", side="tool", action=None,
        before="Old words.", after="New words.",
    )  # fmt: skip
    report = text_of(prose, show=frozenset({"prose"}))
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
    assert shown(added, show=frozenset({"safe"})).splitlines()[1].split() == ["new", "added", "#######"]
    assert shown(added, broken("t", "gone"), show=frozenset({"all"})).count("#######") == 2


def test_a_long_title_is_wrapped() -> None:
    version = finding(
        "server-version-changed", Level.SAFE, None, "m", side="server", before="1.60.0-alpha-1774999321000",
        after="1.60.0-alpha-1778101408000",
    )  # fmt: skip
    assert text_of(version, broken("t", "gone"), width=80).splitlines()[:2] == [
        "BREAKING  chrome 1.60.0-alpha-1774999321000 -> 1.60.0-alpha-1778101408000:",
        "  1 breaking, 1 safe",
    ]


def test_the_cost_to_the_model() -> None:
    added = finding("tool-added", Level.SAFE, "new", "added", side="tool", action=None)
    line = "Cost to the model: 2,786 -> 3,402 tokens (+22 %, estimate)"
    cost = Cost("chrome", 2786, 3402)
    assert text_of(added, costs=(cost,)).splitlines()[2:] == [line]
    assert text_of(added, costs=(Cost("chrome", 2786, 2790),)).count("Cost") == 0
    other = replace(added, server="beside")
    assert text_of(added, other, costs=(cost,)).splitlines() == [
        "SAFE  beside: 1 safe",
        "  1 tool added (--show safe)",
        "",
        "SAFE  chrome: 1 safe",
        "  1 tool added (--show safe)",
        line,
    ]
    grew = finding("catalog-tokens-grew", Level.RISKY, None, "the tools cost more", "/tools", side="server")
    assert "Cost to the model" not in text_of(added, grew, costs=(cost,))
    assert line in text_of(added, replace(grew, level=Level.SAFE), costs=(cost,))


def test_long_answers_are_wrapped_behind_their_heads_on_a_terminal() -> None:
    told = "1 server unchanged, 1 server not checked, and some more words"
    answers = {"fresh": (told, "pages  BREAKING", f"  pages  not checked:{' x' * 30}")}
    compared: dict[str | None, Compared] = {None: Compared(title="fusion.lock", answers=answers)}
    assert render(Report(OLD, NEW, ()), Context("fusion check", compared, width=60, wraps=True)) == (
        "fusion check: fusion.lock\n"
        "fresh       1 server unchanged, 1 server not checked, and\n"
        "            some more words\n"
        "  pages  BREAKING\n"
        "    pages  not checked: x x x x x x x x x x x x x x x x x x\n"
        "    x x x x x x x x x x x x\n"
    )
    logged = render(Report(OLD, NEW, ()), Context("fusion check", compared, width=60))
    assert [len(line.rstrip()) for line in logged.splitlines()] == [25, 73, 17, 83]


def test_the_last_line_names_the_rule_of_the_worst() -> None:
    found = [finding("x-rule", Level.RISKY, "t", "m"), broken("t", "gone"), replace(broken("a", "gone"), waived=True)]
    page = Context(width=90)
    mark = found[1].fingerprint[:7]
    accept = f'Accept on purpose: fusion waive {mark} --reason "..."'
    whole = Report(OLD, NEW, tuple(found))
    assert render(whole, Context(width=95)).endswith(f"\n\n{accept}     Why: fusion explain property-renamed\n")
    assert why(whole, Context(width=94)) == f"\n{accept}\nWhy: fusion explain property-renamed\n"
    assert render(Report(OLD, NEW, tuple(found[::2])), page).endswith("\n\nWhy: fusion explain x-rule\n")
    safe = Report(OLD, NEW, (finding("tool-added", Level.SAFE, "new", "added"),))
    assert "Why:" not in render(safe, Context(width=90))
    assert why(safe, Context()) == ""


def test_the_last_line_says_that_each_of_several_rows_has_its_id() -> None:
    first, second, alone = broken("a", "gone"), broken("b", "gone"), finding("x-rule", Level.BREAKING, "t", "m")
    reason = "Why: fusion explain property-renamed"
    accept = '{}: fusion waive {} --reason "..."'
    said = accept.format("Accept on purpose", first.group[:7])
    assert why(Report(OLD, NEW, (first, second)), Context(width=90)) == f"\n{said}\n{reason}\n"
    said = accept.format("Accept each by its id", first.group[:7])
    assert why(Report(OLD, NEW, (first, second, alone)), Context(width=90)) == f"\n{said}\n{reason}\n"
    kept = (first, replace(second, waived=True), replace(alone, waived=True))
    said = accept.format("Accept on purpose", first.fingerprint[:7])
    assert why(Report(OLD, NEW, kept), Context(width=90)) == f"\n{said}\n{reason}\n"


def test_several_servers_stand_apart_the_worst_first() -> None:
    report = shown(
        broken("t", "gone", server="b"), broken("t", "gone", server="a"), finding("x", Level.RISKY, "t", "m")
    )
    headers = [line for line in report.splitlines() if not line.startswith(" ")]
    assert headers == ["BREAKING  a: 1 breaking", "", "BREAKING  b: 1 breaking", "", "RISKY  chrome: 1 risky"]


def test_waived_findings_are_counted_in_a_line() -> None:
    accepted = broken("t", "gone", waived=True, accepted="no agent\x1b uses it")
    assert shown(accepted) == (
        "chrome: 1 waived\nWAIVED  1 finding accepted on purpose (--show waived)\n"
    )
    assert shown(accepted, show=frozenset({"waived"})) == (
        "chrome: 1 waived\n"
        "WAIVED\n"
        f"  t                              gone{' ' * 46}#######\n"
        "      next: Keep the old name.\n"
        "      reason: no agent\\u{1b} uses it\n"
    )


def test_what_was_not_checked() -> None:
    problem = Problem("sentry", "start", "no answer to initialize in 60 s, twice", "run the command by itself")
    report = render(Report(OLD, NEW, (broken("t", "gone"),), (problem,)), Context(width=90))
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
    page = Context(width=width, show=frozenset({"all"}))
    report = render(Report(OLD, NEW, (found,), (Problem(server, "list", message, value),)), page)
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

    text = render(report, Context(width=width))

    breaking = [one for one in report.findings if one.level is Level.BREAKING]
    assert breaking
    assert all(identifier(row) in text for row in groups(breaking))
    words = text.replace("\n", " ").replace(",", " ").split()
    assert all((one.tool or "server") in words for one in breaking)
    assert all(width_of(line) <= width for line in text.splitlines()[1:])
    assert len(text.splitlines()) < len(report.findings) * 2
