"""The comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts.diff import Cost, Finding, Level, Report, Side
from fusion_contracts.errors import Problem
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.markdown import LONGEST, MARKER, render

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")


def finding(tool: str | None, message: str, level: Level = Level.BREAKING, **more: Any) -> Finding:
    fields = {
        "rule": "property-renamed", "server": "chrome", "action": tool, "side": "input", "hint": "Keep the old name.",
        "pointer": "/inputSchema/properties/pageIdx", **more,
    }  # fmt: skip
    return Finding(level=level, tool=tool, message=message, **fields)


def page(*findings: Finding, errors: tuple[Problem, ...] = (), costs: tuple[Cost, ...] = (), **more: Any) -> str:
    return render(Report(OLD, NEW, findings, errors, costs), Context(**more))


# The seven digits of a group's id: a hash that these tests do not depend on.
ID = re.compile(r"\b[0-9a-f]{7}\b")


def test_nothing() -> None:
    assert page() == "<!-- fusion-contracts -->\nNo changes for agents: `old.json` → `new.json`.\n"


def test_a_whole_comment() -> None:
    renamed = "pageIdx replaced by pageId; values may not carry over"
    text = page(
        *(
            finding(tool, renamed, successor="pageId", has_witness=True, witness={"pageIdx": 0})
            for tool in ("close_page", "select_page")
        ),
        finding("emulate_cpu", "removed", rule="tool-removed", pointer="", side="tool", hint="Keep the tool."),
        finding("wait", "timeout is new", Level.RISKY, pointer="/inputSchema/properties/timeout"),
        finding("wait", "m", Level.RISKY, rule="description-changed", pointer="/description", side="tool"),
        finding("wait", "b added", Level.SAFE, rule="optional-property-added", pointer="/inputSchema/properties/b"),
        finding("wait", "c removed", pointer="/inputSchema/properties/c", waived=True, accepted="see #12 | x"),
        finding(
            None, "version 1 -> 2", Level.SAFE, rule="server-version-changed", side="server", before="1", after="2"
        ),
        costs=(Cost("chrome", 2786, 3402),),
        compared={None: Compared(title="fusion.lock, 1 server", answers={"intact": ("yes",), "fresh": ("1 server",)})},
        command="fusion check",
    )
    assert ID.sub("#######", text) == (
        "<!-- fusion-contracts -->\n"
        "### BREAKING: chrome 1 → 2 (3 breaking, 2 risky, 2 safe, 1 waived)\n\n"
        "Agents that learned 1 fail on these calls:\n\n"
        "| What changed | Tools | Worked before | Id |\n"
        "| --- | --- | --- | --- |\n"
        "| `pageIdx` replaced by `pageId`; values may not carry over | `close_page`, `select_page` "
        '| `close_page {"pageIdx": 0}` | `#######` |\n'
        "| removed | `emulate_cpu` | every call | `#######` |\n\n"
        "**To keep agents working**:\n\n"
        "- Keep the old name.\n"
        "- Keep the tool.\n\n"
        '**Accept each by its id**: `fusion waive ####### --reason "..."`, and commit.\n\n'
        "<details><summary>2 risky</summary>\n\n"
        "| What changed | Tools | Id |\n| --- | --- | --- |\n| `timeout` is new | `wait` | `#######` |\n\n"
        "Descriptions reworded: 1 tool\n\n"
        "</details>\n\n"
        "<details><summary>2 safe</summary>\n\n"
        "1 optional argument added, version changed\n\n"
        "| What changed | Tools | Id |\n| --- | --- | --- |\n"
        "| version 1 → 2 | `server` | `#######` |\n"
        "| `b` added | `wait` | `#######` |\n\n"
        "</details>\n\n"
        "<details><summary>1 waived</summary>\n\n"
        "| What changed | Tools | Accepted because | Id |\n| --- | --- | --- | --- |\n"
        "| `c` removed | `wait` | see <code>&#35;12 &#124;</code> x | `#######` |\n\n"
        "</details>\n\n"
        "Cost to the model: 2,786 → 3,402 tokens (+22 %, estimate)\n\n"
        "<details><summary>What fusion check asked</summary>\n\n"
        "`fusion.lock`, 1 server\n\n"
        "- intact: yes\n"
        "- fresh: 1 server\n\n"
        "</details>\n\n"
        "Compared: `old.json` → `new.json`.\n"
    )


def test_what_could_not_be_checked_is_not_folded() -> None:
    answers = {"fresh": ("1 server not checked", "  a  not checked: no answer", "      next: wait")}
    text = page(
        errors=(Problem("a", "start", "no answer to initialize in 60 s", "try again"),),
        compared={None: Compared(title="fusion.lock", answers=answers)},
    )
    assert text.partition("\n\nCompared: ")[0] == (
        "<!-- fusion-contracts -->\n"
        "### UNKNOWN: not everything could be checked\n\n"
        "- a: no answer to initialize in 60 s; try again\n\n"
        "<details open><summary>What fusion diff asked</summary>\n\n"
        "`fusion.lock`\n\n"
        "- fresh: 1 server not checked\n"
        "  - a  not checked: no answer\n"
        "  - next: wait\n\n"
        "</details>"
    )


def test_commands_of_ours_are_code() -> None:
    problem = Problem(None, "lock", "no lock at fusion.lock", "run `fusion lock SOURCE` to write one")
    assert "- no lock at `fusion.lock`; run `fusion lock SOURCE` to write one\n" in page(errors=(problem,))


def test_one_group_one_hint_one_answer() -> None:
    text = page(
        finding(
            "get", "output total is gone", rule="output-field-removed", side="output", pointer="/outputSchema",
            has_witness=True, witness={"total": 1},
        )
    )  # fmt: skip
    assert '| the answer `get {"total": 1}` |' in text
    assert "**To keep agents working**: Keep the old name.\n" in text
    assert "\n**Accept on purpose**: `fusion waive " in text
    assert "Agents that learned the old contract fail on these calls:" in text


def test_a_group_of_many_sentences_and_tools() -> None:
    text = page(*(finding(f"tool_{number:02}", f"value {number} removed") for number in range(60)))
    assert "value 0 removed<br>value 1 removed<br>value 2 removed<br>57 other changes of this kind |" in text
    assert "`tool_49` and 10 more |" in text


def test_one_sentence_more_is_told() -> None:
    text = page(*(finding(f"tool_{number}", f"value {number} removed") for number in range(4)))
    assert "| value 0 removed<br>value 1 removed<br>value 2 removed<br>value 3 removed |" in text


def test_many_hints() -> None:
    text = page(*(finding("t", "m", hint=f"Hint {n}.", pointer=f"/x{n}", rule=f"rule{'s' * n}") for n in range(7)))
    assert "- Hint 4.\n- 2 more: `fusion explain RULE`\n" in text


def test_several_locks_are_told_apart() -> None:
    text = page(*(finding("t", "m", lockfile=f"{name}/fusion.lock") for name in "ab"))
    assert re.findall("^### .*", text, re.MULTILINE) == [
        "### BREAKING: `a/fusion.lock`: chrome (1 breaking)",
        "### BREAKING: `b/fusion.lock`: chrome (1 breaking)",
    ]


def many(broken: int, risky: int = 0, safe: int = 0, *, length: int = 20, servers: int = 1) -> Report:
    """A report of that many groups of each level, each sentence and name of some length."""
    found = [
        finding(
            f"{'t' * length}{number}", f"argument {'m' * length}{number} removed", level,
            pointer=f"/inputSchema/properties/{level.name}{number}", has_witness=level is Level.BREAKING,
            witness={"text": "w" * length}, hint=f"Do {'h' * length} {number}.", server=f"s{number % servers}",
        )
        for level, count in ((Level.BREAKING, broken), (Level.RISKY, risky), (Level.SAFE, safe))
        for number in range(count)
    ]  # fmt: skip
    return Report(OLD, NEW, tuple(found))


ANSWERED = Context(compared={None: Compared(title="fusion.lock", answers={"intact": ("yes",)})})


def ids(report: Report) -> set[str]:
    return {found.fingerprint[:7] for found in report.findings if found.level is Level.BREAKING}


def test_detail_is_left_out_in_order() -> None:
    kept = [
        [part in render(report, ANSWERED) for part in ("safe</summary>", "risky</summary>", "www", "asked")]
        for report in (many(20, 50, 50), many(20, 50, 900), many(20, 900, 900), many(450, 900, 900), many(700))
    ]
    assert kept == [
        [True, True, True, True],
        [False, True, True, True],
        [False, False, True, True],
        [False, False, False, False],
        [False, False, False, False],
    ]


@pytest.mark.parametrize(
    "report",
    [
        many(20, 900, 900), many(450, 900, 900), many(900), many(4_000), many(100, length=5_000), many(6_000),
        many(900, servers=900), many(300, length=3_000, servers=30),
    ],
)  # fmt: skip
def test_every_breaking_group_is_named_in_a_comment_that_fits(report: Report) -> None:
    text = render(report, ANSWERED)
    assert text.startswith(f"{MARKER}\n### BREAKING: ")
    assert len(text.encode()) <= LONGEST
    assert ids(report) <= set(ID.findall(text))


def test_the_rest_of_a_table_is_told() -> None:
    text = render(many(1_500), ANSWERED)
    rows = text.count("\n| argument")
    assert f"\n{1_500 - rows} more, see the JSON report: `" in text
    assert rows > 0
    assert len(text.encode()) > LONGEST * 0.95


def test_even_ids_are_too_many() -> None:
    report = many(20_000, servers=10_000)
    text = render(report, ANSWERED)
    assert len(text.encode()) <= LONGEST
    assert text.startswith(f"{MARKER}\n### BREAKING: 20,000 breaking\n\nToo much for a comment: see the JSON report.")
    told = len(ID.findall(text))
    assert told > 6_000
    assert text.endswith(f" and {20_000 - told:,} more\n")


@settings(max_examples=20, deadline=None)
@given(
    broken=st.integers(0, 300), risky=st.integers(0, 100), safe=st.integers(0, 100), length=st.integers(1, 600),
    letter=st.sampled_from(["a", "|", "@", "\n", "\u65e5", "`", "\U0001f308"]),
)  # fmt: skip
def test_no_comment_is_too_long(broken: int, risky: int, safe: int, length: int, letter: str) -> None:
    report = many(broken, risky, safe, length=length)
    found = tuple(replace(one, tool=letter * length, message=f"x {letter * length}") for one in report.findings)
    report = Report(OLD, NEW, found)
    text = render(report, ANSWERED)
    assert len(text.encode()) <= LONGEST
    assert ids(report) <= set(ID.findall(text))


def test_a_real_case(case: Callable[..., tuple[Report, Context]]) -> None:
    text = render(*case("diff/argument-renamed-value-carries"))
    assert text.count("\n| ") >= 2
    assert "**Accept on purpose**: `fusion waive " in text
