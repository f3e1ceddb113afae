"""`fusion waive`: accepting findings, what reports say of them, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import date
from typing import Any

import pytest
from waiving import OTHER, finding


@pytest.mark.parametrize("by", ["group", "fingerprint"])
def test_an_id_is_accepted_and_the_check_passes(changed: Any, by: str) -> None:
    before = changed.read("fusion.toml")
    found = finding(changed)
    result = changed.run("waive", found[by][:7], "--reason", "agents are told", "--until", "2026-12-31")
    assert (result.code, result.err) == (0, "")
    assert result.out.split("\n", 1)[1] == (
        "fusion.toml accepts until 2026-12-31: agents are told\n"
        f"  {found['fingerprint'][:7]}  BREAKING  close_page: when no longer accepts 'later'\n"
        "exit 0: wrote a waiver in fusion.toml: 1 finding\n"
    )
    assert changed.read("fusion.toml") == (
        f"{before}\n[[waivers]]\n"
        f'fingerprints = ["{found["fingerprint"]}"]\nreason = "agents are told"\nuntil = 2026-12-31\n'
    )
    report = json.loads(changed.run("check", "--offline", "--format", "json").out)
    assert report["summary"] == {"breaking": 0, "risky": 0, "safe": 0, "waived": 1, "verdict": "NONE"}
    assert report["findings"] == [{**found, "waived": True}]


@pytest.mark.parametrize(
    "command", [["check", "--offline"], ["check", "--all", "--offline"], ["diff", "--base", "main"]]
)
def test_it_holds_in_every_report_and_is_a_line_there(changed: Any, command: list[str]) -> None:
    changed.run("waive", finding(changed)["group"], "--reason", "agreed")
    result = changed.run(*command, "--fail-on", "any")
    lock = "fusion.lock: " if "--all" in command else ""
    assert result.code == 0
    assert f"{lock}pages: 1 waived\nWAIVED  1 finding accepted on purpose (--show waived)\n" in result.out
    assert result.out.count(": 1 waived\n") == (2 if command[0] == "check" else 1)  # compatible, and the server
    assert result.out.endswith("exit 0: no findings\n")
    assert "      reason: agreed\n" in changed.run(*command, "--show", "waived").out


def test_a_finding_has_one_id_in_every_view(changed: Any) -> None:
    found = finding(changed)["fingerprint"][:7]
    check = ("check", "--offline")
    row = f"  close_page                     when no longer accepts 'later'                              {found}\n"
    assert row in changed.run(*check).out
    assert row in changed.run(*check, "--show", "all").out
    assert f"  {found}  BREAKING  close_page: " in changed.run("waive", found, "--reason", "agreed").out
    assert row in changed.run(*check, "--show", "waived").out
    assert changed.run("waive").out.split("\n", 1)[1].startswith(f"{found}: accepts 1 finding\n")


def test_a_row_of_several_keeps_its_id_beside_those_of_its_findings(
    project: Any, close_page: Any, close_page_v2: Any
) -> None:
    project.catalog("old.json", close_page, {**close_page, "name": "open_page"})
    project.catalog("new.json", close_page_v2, {**close_page_v2, "name": "open_page"})
    diff = ("diff", "old.json", "new.json")
    first, second = json.loads(project.run(*diff, "--format", "json").out)["findings"]
    group, ids = first["group"][:7], [one["fingerprint"][:7] for one in (first, second)]
    assert f"accepts 'later'                              {group}\n" in project.run(*diff).out
    every = project.run(*diff, "--show", "all").out
    assert f"2 findings of this kind, each below                         {group}\n" in every
    assert all(f"accepts 'later'                              {one}\n" in every for one in ids)
    assert f"fusion waive {group} --reason" in every
    assert project.run("waive", group, *diff[1:], "--reason", "agreed").out == (
        "old.json -> new.json\n"
        "fusion.toml accepts: agreed\n"
        f"  {group}  2 findings of this kind, each below\n"
        f"  {ids[0]}  BREAKING  close_page: when no longer accepts 'later'\n"
        f"  {ids[1]}  BREAKING  open_page: when no longer accepts 'later'\n"
        "exit 0: wrote a waiver in fusion.toml: 2 findings\n"
    )


def test_explain_says_why_it_was_accepted(changed: Any) -> None:
    group = finding(changed)["group"]
    changed.run("waive", group, "--reason", "agreed")
    assert "  waived       agreed\n" in changed.run("explain", group).out


def test_the_lock_says_what_it_accepts_without_what_was_waived(
    repository: Any, close_page: Any, close_page_v2: Any
) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.serve("pages", close_page_v2)
    group = json.loads(repository.run("diff", "--format", "json").out)["findings"][0]["group"]
    assert repository.run("waive", group, "--reason", "agreed").out.startswith("fusion.lock -> 1 live server\n")
    assert "This accepts, for fusion.lock:\npages: 1 waived\n" in repository.run("lock").out


def test_a_tool_that_joins_the_group_later_is_not_accepted(project: Any, close_page: Any, close_page_v2: Any) -> None:
    def both(tool: Any) -> list[Any]:
        return [tool, {**tool, "name": "open_page"}]

    project.catalog("old.json", *both(close_page))
    project.catalog("new.json", close_page_v2, {**close_page, "name": "open_page"})
    diff = ("diff", "old.json", "new.json")
    group = json.loads(project.run(*diff, "--format", "json").out)["findings"][0]["group"]
    assert project.run("waive", group, *diff[1:], "--reason", "agreed").code == 0
    assert project.run(*diff).code == 0
    project.catalog("new.json", *both(close_page_v2))
    assert project.run(*diff).code == 1
    assert "1 breaking, 1 waived" in project.run(*diff).out
    result = project.run("waive", group, *diff[1:], "--reason", "that one too")
    assert "exit 0: wrote a waiver in fusion.toml: 1 finding\n" in result.out
    assert project.run(*diff).code == 0


def test_what_is_accepted_already_is_not_written_twice(changed: Any) -> None:
    group = finding(changed)["group"]
    changed.run("waive", group, "--reason", "agreed")
    result = changed.run("waive", group, "--reason", "again")
    assert result.code == 0
    assert result.out.endswith(
        "accepted already: agreed\nexit 0: nothing was written; fusion.toml accepts 1 finding of this id\n"
    )
    rule = ("waive", "--rule", "tool-removed", "--until", "2026-12-31", "--reason")
    changed.run(*rule, "agreed")
    before = changed.files()
    assert changed.run(*rule, "again").out == (
        "accepted already until 2026-12-31: agreed\n"
        "exit 0: nothing was written; fusion.toml holds the waiver for tool-removed\n"
    )
    assert changed.files() == before


def test_an_expired_waiver_is_a_finding_and_is_renewed(changed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    group = finding(changed)["group"]
    changed.run("waive", group, "--reason", "agreed", "--until", "2026-12-31")
    monkeypatch.setattr("fusion_contracts.cli.judging.today", lambda: date(2026, 12, 31))
    assert changed.run("check", "--offline").code == 0
    monkeypatch.setattr("fusion_contracts.cli.judging.today", lambda: date(2027, 1, 1))
    result = changed.run("check", "--offline")
    assert result.code == 1
    said = r"\nRISKY  fusion\.toml: 1 risky\n  waivers +the waiver for \w{7} expired on 2026-12-31 "
    assert re.search(said, result.out)
    assert changed.run("waive", group, "--reason", "longer", "--until", "2027-06-30").out.endswith(
        "exit 0: renewed a waiver in fusion.toml: 1 finding\n"
    )
    assert changed.read("fusion.toml").endswith('reason = "longer"\nuntil = 2027-06-30\n')
    assert changed.run("check", "--offline", "--fail-on", "any").code == 0


def test_a_rule_for_a_time(changed: Any) -> None:
    found = finding(changed)["fingerprint"][:7]
    words = ("--rule", "enum-value-removed", "--tool", "close_*", "-s", "pages", "--until", "2026-12-31")
    result = changed.run("waive", *words, "--reason", "agreed")
    assert result.code == 0
    assert result.out == (
        "fusion.toml accepts until 2026-12-31: agreed\n"
        f"  {found}  BREAKING  close_page: when no longer accepts 'later'\n"
        "exit 0: wrote a waiver in fusion.toml: 1 finding\n"
    )
    assert changed.read("fusion.toml").endswith(
        '[[waivers]]\nrule = "enum-value-removed"\nserver = "pages"\ntool = "close_*"\n'
        'reason = "agreed"\nuntil = 2026-12-31\n'
    )
    assert changed.run("check", "--offline").code == 0


def test_without_a_base_it_is_said_that_nobody_knows(project: Any) -> None:
    result = project.run("waive", "--rule", "tool-removed", "--until", "2026-12-31", "--reason", "agreed")
    assert result.out.endswith("exit 0: wrote a waiver in fusion.toml: what it accepts is not known without a base\n")


def test_settings_in_pyproject_keep_everything_else(changed: Any) -> None:
    settings = changed.read("fusion.toml").replace("[sources", "[tool.fusion.sources")
    (changed.folder / "fusion.toml").unlink()
    text = f"[project]\r\nname = 'x'  # mine\r\n\r\n{settings}\n# end\n".replace("\r\n", "\n").replace("\n", "\r\n")
    changed.write("pyproject.toml", text)
    assert changed.run("waive", finding(changed)["group"], "--reason", "agreed").code == 0
    written = changed.read("pyproject.toml")
    assert written.startswith(text)
    assert written.removeprefix(text).startswith("\r\n[[tool.fusion.waivers]]\r\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["0000000", "--reason", "a"], "no finding has an id that starts with 0000000; "),
        (["00000", "--reason", "a"], "00000 is too short for an id; write at least 7 digits of it"),
        (["tool-removed", "--reason", "a"], "tool-removed is no id; take the digits at the end of a row, or write "),
        (["0000000"], 'a waiver needs a reason; add --reason "..."'),
        (["0000000", "--reason", " "], 'a waiver needs a reason; add --reason "..."'),
        (["0000000", "--reason", "a", "--until", "2026-11-30"], "2026-11-30 is over; name a day to come with --until"),
        (["0000000", "--rule", "x"], "an ID and a rule are named; name one of the two"),
        (["0000000", "--tool", "x"], "--tool goes with --rule; an ID says which tool and where"),
        (["--reason", "a"], "--reason goes with an ID or with --rule; name what is accepted"),
        (
            ["--rule", "tool-remove", "--reason", "a"],
            'there is no rule "tool-remove"; the nearest: tool-removed, tool-renamed, action-removed',
        ),
        (["--rule", "tool-removed", "--reason", "a"], "a waiver for a rule needs a last day; add --until YYYY-MM-DD"),
        (
            ["--rule", "waiver-expired", "--reason", "a", "--until", "2026-12-31"],
            "a finding about a waiver is not waived; correct that waiver, or drop it",
        ),
        (["--prune", "--reason", "a"], "--prune goes alone; it looks at every waiver: fusion waive --prune"),
        (["--prune", "-s", "a"], "--prune goes alone; it looks at every waiver: fusion waive --prune"),
    ],
)
def test_what_is_refused_writes_nothing(changed: Any, words: list[str], said: str) -> None:
    before = changed.files()
    result = changed.run("waive", *words)
    assert result.code == 2
    assert result.err.removeprefix("pages: starting python serve.py pages.json\n").startswith(f"fusion: {said}")
    assert changed.files() == before


def test_a_day_that_is_none(project: Any) -> None:
    result = project.run("waive", "0000000", "--until", "soon")
    assert (result.code, result.err.splitlines()[-2]) == (
        2, "Error: Invalid value for '--until': 'soon' is no day such as 2026-12-31.",
    )  # fmt: skip


def test_a_finding_about_a_waiver_is_not_accepted(changed: Any) -> None:
    changed.run("waive", "--rule", "tool-removed", "--until", "2026-12-31", "--reason", "agreed")
    report = json.loads(changed.run("check", "--offline", "--format", "json").out)
    (about,) = [one for one in report["findings"] if one["rule"] == "waiver-unmatched"]
    assert (about["server"], about["tool"], about["pointer"]) == ("fusion.toml", None, "/waivers/0")
    before = changed.files()
    assert changed.run("waive", about["fingerprint"], "--reason", "a").code == 2
    assert changed.files() == before


def test_names_and_reasons_cannot_write_on_the_terminal(changed: Any) -> None:
    group = finding(changed)["group"]
    result = changed.run("waive", group, "--reason", "a\x1b[31m\u202e")
    assert "\x1b" not in result.out + changed.read("fusion.toml")
    assert "\u202e" not in result.out + changed.read("fusion.toml")
    for command in (["waive"], ["check", "--offline", "--show", "waived"], ["explain", group]):
        assert "\x1b" not in changed.run(*command).out


def test_a_file_that_changes_meanwhile_is_left_alone(changed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fusion_contracts.config import waiving

    group = finding(changed)["group"]
    write = waiving.with_waiver

    def slow(*arguments: Any) -> str:
        changed.write("fusion.toml", changed.read("fusion.toml") + "# meanwhile\n")
        return write(*arguments)

    monkeypatch.setattr(waiving, "with_waiver", slow)
    result = changed.run("waive", group, "--reason", "agreed")
    assert result.code == 2
    assert "was changed meanwhile; nothing was written; run it again" in result.err
    assert changed.read("fusion.toml").endswith("# meanwhile\n")


def test_of_runs_at_once_none_loses_what_it_said_it_wrote(changed: Any) -> None:
    words = [sys.executable, "-m", "fusion_contracts", "waive", "--until", "9999-12-31", "--reason", "a", "--rule"]
    rules = ["tool-removed", "tool-added", "enum-value-removed", "description-changed"]
    runs = [subprocess.Popen([*words, rule], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for rule in rules]
    wrote = {rule for rule, run in zip(rules, runs, strict=True) if run.wait() == 0}
    assert wrote
    assert set(re.findall('rule = "(.+)"', changed.read("fusion.toml"))) == wrote


def test_formats_show_what_is_waived_and_why(changed: Any) -> None:
    changed.run("waive", finding(changed)["group"], "--reason", "agreed")
    check = ("check", "--offline", "--format")
    (result,) = json.loads(changed.run(*check, "sarif").out)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "agreed"}]
    assert "1 waived" in changed.run(*check, "markdown").out
    assert 'failures="0"' in changed.run(*check, "junit").out
    assert "::error" not in changed.run(*check, "github").out


@pytest.mark.parametrize("form", ["text", "json", "markdown", "sarif", "github", "junit", "html"])
def test_every_format_takes_a_finding_about_a_waiver(changed: Any, form: str) -> None:
    changed.write("fusion.toml", changed.read("fusion.toml") + OTHER)
    result = changed.run("check", "--offline", "--format", form)
    assert result.code == 1
    assert "0000000" in result.out
    assert "fault" not in result.err


def test_the_page_offers_no_waiver_for_a_finding_about_one(changed: Any) -> None:
    changed.write("fusion.toml", changed.read("fusion.toml") + OTHER)
    page = changed.run("check", "--offline", "--format", "html").out
    offered = re.findall(r"fusion waive (?:--\S+ )*([0-9a-f]{7})", page)
    assert offered == [finding_of(changed, "enum-value-removed")["fingerprint"][:7]]


def finding_of(project: Any, rule: str) -> dict[str, Any]:
    report = json.loads(project.run("check", "--offline", "--format", "json").out)
    return next(one for one in report["findings"] if one["rule"] == rule)


def test_the_id_of_what_is_risky_accepts_nothing_that_is_breaking(project: Any) -> None:
    def tools(*, has: bool) -> list[Any]:
        properties = {"a": {"type": "string"}} if has else {}
        return [
            {"name": f"u{number}", "inputSchema": {"type": "object", "properties": properties, **closed}}
            for number, closed in enumerate(({"additionalProperties": False}, {"additionalProperties": False}, {}, {}))
        ]

    project.catalog("old.json", *tools(has=True))
    project.catalog("new.json", *tools(has=False))
    rows = [line.split() for line in project.run("diff", "old.json", "new.json").out.splitlines()]
    breaking, risky = (next(row[-1] for row in rows if row[:1] == [first]) for first in ("u0,", "u2,"))
    assert breaking != risky
    assert project.run("waive", risky, "--reason", "none sends it", "old.json", "new.json").code == 0
    report = json.loads(project.run("diff", "old.json", "new.json", "--format", "json").out)
    assert {one["tool"]: (one["level"], "waived" in one) for one in report["findings"]} == {
        "u0": ("BREAKING", False), "u1": ("BREAKING", False), "u2": ("RISKY", True), "u3": ("RISKY", True),
    }  # fmt: skip
