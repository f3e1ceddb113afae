"""What an HTML report may hold: problems, several locks, one change in many tools, waived findings, calls."""

from __future__ import annotations

import json
from dataclasses import replace

from html_report import compared, contract, finding, labelled, page_of, read

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.diff import Level, Report, Side
from fusion_contracts.errors import Problem
from fusion_contracts.model import Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.html import render


def test_no_findings() -> None:
    page = read(page_of())
    assert page.all("h1")[0].text == "NO CHANGES new.json"
    assert page.all("main")[0].text == "There are no findings."
    assert page.all("form") == []


def test_a_run_that_an_error_ended() -> None:
    unknown = Side("unknown", "unknown")
    report = Report(unknown, unknown, errors=(Problem(None, "source", "old.json does not exist", "check the path"),))
    page = read(render(report, Context(code=2, ending="exit 2: could not check")))
    assert page.all("title")[0].text == "NOT CHECKED: nothing was compared - fusion diff"
    assert page.all("p", "kicker")[0].text == "fusion diff"
    assert labelled(page) == {"all": "old.json does not existnext: check the path"}


def test_the_three_answers_about_a_lock_and_no_problem_twice() -> None:
    answers = {"intact": ("yes",), "fresh": ("1 server not checked", "desk  not checked: no answer"), "compatible": ()}
    lock = Compared(title="fusion.lock, 1 server", answers={**answers, "compatible": ("with main: no changes",)})
    context = Context("fusion check", {None: lock})
    errors = (Problem("desk", "source", "no answer", "try again"), Problem(None, "lock", "b/fusion.lock is gone", ""))
    page = read(page_of(context=context, errors=errors))
    assert labelled(page) == {
        "intact": "yes",
        "fresh": "1 server not checkeddesk  not checked: no answer",
        "compatible": "with main: no changes",
        "all": "b/fusion.lock is gone",
    }


def test_several_locks_have_a_row_each() -> None:
    ok = {"intact": ("yes",), "fresh": ("yes", "  of late")}
    names: tuple[str | None, ...] = ("a/fusion.lock", "b/fusion.lock")
    locks = {name: Compared(title=f"{name}, 1 server", answers=ok) for name in names}
    page = read(page_of(context=Context("fusion check", locks)))
    rows = [[cell.text for cell in row.walk() if cell.tag in {"th", "td"}] for row in page.all("tr")]
    assert rows == [
        ["lock", "intact", "fresh"],
        ["a/fusion.lock, 1 server", "yes", "yes  of late"],
        ["b/fusion.lock, 1 server", "yes", "yes  of late"],
    ]


def test_several_locks_with_the_same_server_stay_apart() -> None:
    page = read(page_of(finding(lockfile="a/fusion.lock"), finding(lockfile="b/fusion.lock")))
    assert [one.text for one in page.all("h2")][:2] == ["a/fusion.lock: desk", "b/fusion.lock: desk"]
    first, second = (one.attributes["id"] for one in page.all("article"))
    assert second == f"{first}-2"


def test_one_change_in_many_tools_is_one_article_with_a_row_each() -> None:
    calls = {"close": {"id": 1}, "reopen": {"id": 2}}
    page = read(
        page_of(*(finding(tool=one, action=one, has_witness=True, witness=call) for one, call in calls.items()))
    )
    (article,) = page.all("article")
    rows = article.all("details", "finding")
    assert [row.attributes["data-tool"] for row in rows] == ["close", "reopen"]
    assert ["open" in row.attributes for row in rows] == [True, False]
    assert [row.all("code", "call")[0].text for row in rows] == ['close {"id": 1}', 'reopen {"id": 2}']


def test_waived_findings_are_marked_and_come_last() -> None:
    page = read(page_of(finding(waived=True), finding(tool="b", level=Level.SAFE, message="b")))
    assert [one.text for one in page.all("h3")] == ["SAFE 1", "Waived: accepted on purpose 1"]
    assert page.all("article")[1].attributes["data-level"] == "WAIVED"
    assert page.all("article")[1].all("p", "muted")[0].text == "BREAKING, waived"
    assert [one.text for one in page.all("li")] == ["0 breaking", "0 risky", "1 safe", "1 waived"]
    assert not any("waive" in one.text for one in page.all("code", "command"))


def test_the_call_of_an_action_names_its_tool_for_json() -> None:
    page = read(page_of(finding(tool="ticket", action="ticket.close", has_witness=True, witness={"do": "close"})))
    (call,) = page.all("code", "call")
    assert call.text == 'ticket.close {"do": "close"}'
    assert json.loads(call.attributes["data-name"] or "") == "ticket"


def test_hidden_characters_of_a_call_are_seen_and_still_json() -> None:
    name, arguments = "clo\u200bse", {"i\u202ed": "a\U000e0041", "\u2764\ufe0f": "\ud800"}
    page = read(page_of(finding(tool=name, action=name, has_witness=True, witness=arguments)))
    (call,) = page.all("code", "call")
    (shown,) = call.all("span", "value")
    assert HIDDEN.search(shown.text) is None
    assert json.loads(shown.text) == arguments
    assert json.loads(call.attributes["data-name"] or "") == name


def test_an_old_call_that_is_answered_in_silence_is_said_to_be() -> None:
    shown = labelled(read(page_of(finding(silent=True, successor="ticket"))))
    assert shown["silent"] == "no error may tell the agent: the old call can be answered as if nothing were wrong"
    assert shown["instead"] == "ticket"


def test_a_page_is_ascii_and_says_so_to_every_encoding() -> None:
    page = page_of(finding(tool="\u5de5\u5177", message="\u5de5\u5177 removed"))
    assert page.isascii()
    assert "\u5de5\u5177 removed" in read(page).text


def test_a_large_report_keeps_within_its_room() -> None:
    schema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(400)}}
    tools = [Tool(f"tool_{number}", schema | {"required": ["p1"]}) for number in range(150)]
    newer = [replace(tool, input_schema=schema | {"required": ["p1", "p2"]}) for tool in tools]
    page = render(*compared(contract(*tools), contract(*newer)))
    assert len(page) < 2_000_000
    assert "more rows are left out, for the size of this page" in page
    assert len(read(page).all("code", "call")) == 150
