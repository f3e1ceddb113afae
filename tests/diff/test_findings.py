"""The JSON report: its shape, its order, its hashes, its verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fusion_contracts.diff import Finding, Level, Report, Side
from fusion_contracts.errors import Problem

BASE, HEAD = Side("fusion.lock", "lock", "3f9c2d1"), Side("npx -y pages", "stdio")
PLAIN = Finding(
    rule="tool-removed",
    level=Level.BREAKING,
    server="pages",
    tool="open",
    action=None,
    side="tool",
    pointer="",
    message="removed",
    hint="Keep it.",
)
ARGUMENT = Finding(
    rule="property-removed",
    level=Level.RISKY,
    server="pages",
    tool="open",
    action="open",
    side="input",
    pointer="/inputSchema/properties/url",
    message="url removed",
    hint="Keep it.",
    before={"type": "string"},
)


def test_the_report_has_its_fixed_shape() -> None:
    problem = Problem("mail", "start", "no answer in 60 s", "start it yourself")
    assert Report(BASE, HEAD, (ARGUMENT,), (problem,)).to_dict() == {
        "schema_version": 1,
        "base": {"label": "fusion.lock", "kind": "lock", "revision": "3f9c2d1"},
        "head": {"label": "npx -y pages", "kind": "stdio"},
        "summary": {"breaking": 0, "risky": 1, "safe": 0, "waived": 0, "verdict": "UNKNOWN"},
        "findings": [
            {
                "rule": "property-removed",
                "level": "RISKY",
                "server": "pages",
                "tool": "open",
                "action": "open",
                "side": "input",
                "pointer": "/inputSchema/properties/url",
                "message": "url removed",
                "hint": "Keep it.",
                "before": {"type": "string"},
                "after": None,
                "group": ARGUMENT.group,
                "fingerprint": ARGUMENT.fingerprint,
            }
        ],
        "errors": [{"server": "mail", "stage": "start", "message": "no answer in 60 s", "next": "start it yourself"}],
    }


def test_optional_keys_are_there_only_when_they_say_something() -> None:
    full = replace(ARGUMENT, has_witness=True, successor="link", silent=True, waived=True).to_dict()
    assert full.keys() - ARGUMENT.to_dict().keys() == {"witness", "successor", "silent", "waived"}
    assert full["witness"] is None  # null is a value
    assert (full["successor"], full["silent"], full["waived"]) == ("link", True, True)


def test_the_report_is_json() -> None:
    report = Report(BASE, HEAD, (replace(ARGUMENT, has_witness=True, witness={"url": "\ud800"}), PLAIN))
    assert json.loads(json.dumps(report.to_dict())) == report.to_dict()


@pytest.mark.parametrize(
    ("levels", "errors", "waived", "verdict"),
    [
        ((), 0, False, "NONE"),
        ((Level.SAFE,), 0, False, "SAFE"),
        ((Level.SAFE, Level.RISKY), 0, False, "RISKY"),
        ((Level.BREAKING, Level.SAFE), 0, False, "BREAKING"),
        ((Level.BREAKING,), 0, True, "NONE"),
        ((), 1, False, "UNKNOWN"),
        ((Level.RISKY,), 1, False, "UNKNOWN"),
        ((Level.BREAKING,), 1, False, "BREAKING"),  # nothing that was not checked could be worse
    ],
)
def test_the_verdict(levels: tuple[Level, ...], errors: int, waived: bool, verdict: str) -> None:
    findings = tuple(replace(PLAIN, level=level, waived=waived) for level in levels)
    problems = (Problem(None, "read", "no", ""),) * errors
    report = Report(BASE, HEAD, findings, problems)
    assert report.verdict == report.to_dict()["summary"]["verdict"] == verdict


def test_waived_findings_are_counted_apart() -> None:
    report = Report(BASE, HEAD, (PLAIN, replace(PLAIN, tool="close", waived=True)))
    assert report.to_dict()["summary"] == {"breaking": 1, "risky": 0, "safe": 0, "waived": 1, "verdict": "BREAKING"}


def test_findings_are_sorted_by_level_server_tool_pointer_and_rule() -> None:
    ordered = [
        PLAIN,
        replace(PLAIN, server="quotes", tool=None),
        replace(PLAIN, server="quotes", tool="a", pointer="/a"),
        replace(PLAIN, server="quotes", tool="a", pointer="/b"),
        replace(PLAIN, server="quotes", tool="a", pointer="/b", rule="zzz"),
        replace(ARGUMENT, server="a"),
        replace(ARGUMENT, server="a", level=Level.SAFE),
    ]
    assert list(Report(BASE, HEAD, tuple(reversed(ordered))).findings) == ordered


def test_the_fingerprint_never_depends_on_the_wording_or_the_level() -> None:
    same = replace(ARGUMENT, message="gone", hint="", level=Level.SAFE, has_witness=True, silent=True, waived=True)
    assert same.fingerprint == ARGUMENT.fingerprint


@pytest.mark.parametrize(
    "other",
    [
        replace(ARGUMENT, rule="x"),
        replace(ARGUMENT, server="x"),
        replace(ARGUMENT, tool="x"),
        replace(ARGUMENT, action=None),
        replace(ARGUMENT, pointer="/inputSchema/properties/uri"),
        replace(ARGUMENT, before={"type": "integer"}),
        replace(ARGUMENT, after=False),
        replace(ARGUMENT, after=0),
        replace(ARGUMENT, after=0.0),
    ],
)
def test_the_fingerprint_depends_on_all_that_names_the_change(other: Finding) -> None:
    assert other.fingerprint != ARGUMENT.fingerprint


def test_a_group_holds_the_same_change_of_many_tools() -> None:
    elsewhere = replace(ARGUMENT, tool="close", action="close", pointer="/inputSchema/properties/page/properties/url")
    assert elsewhere.group == ARGUMENT.group
    assert replace(ARGUMENT, pointer="/inputSchema/properties/uri").group != ARGUMENT.group
    assert replace(ARGUMENT, server="quotes").group != ARGUMENT.group
    assert replace(PLAIN, tool="close").group == PLAIN.group


@pytest.mark.parametrize("listed", ["/prompts", "/resources", "/resourceTemplates"])
def test_a_group_holds_all_that_is_gone_from_a_list(listed: str) -> None:
    gone = replace(PLAIN, tool=None, side="server", pointer=f"{listed}/docs:~1~1a")
    assert replace(gone, pointer=f"{listed}/docs:~1~1b").group == gone.group
    assert replace(gone, pointer=f"{listed}/docs:~1~1a/description").group != gone.group


def test_people_see_seven_digits_of_at_least_that_many() -> None:
    for digest in (PLAIN.group, PLAIN.fingerprint):
        assert len(digest) >= 7
        assert set(digest) <= set("0123456789abcdef")
