"""`fusion watch --once`: what is posted, once each, how it ends, and what a restart remembers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from watching import BROKEN, SAID, TOOL, plain


def events(result: Any) -> list[Any]:
    return [json.loads(line) for line in result.out.splitlines()]


def kinds(result: Any) -> list[tuple[str, str]]:
    """The kind of each event, with what a finding says, what was wrong, or why it is over."""
    return [
        (one["event"], one.get("because") or (one.get("finding") or one["error"])["message"]) for one in events(result)
    ]


def test_nothing_changed_is_nothing_posted(pages: Any) -> None:
    result = pages.run("watch", "--once")
    assert (result.code, result.out) == (0, "")
    assert result.err == (
        "pages: starting python serve.py pages.json\n"
        "1 server checked: 0 findings stand\n"
        "exit 0: nothing at or above breaking\n"
    )


def test_a_change_is_posted_once_and_its_end_once_and_it_anew(pages: Any) -> None:
    pages.serve("pages", BROKEN)
    first = pages.run("watch", "--once")
    assert first.code == 1
    assert plain(first.out) == (
        f"TIME  BREAKING  {SAID}  32df0fa\n"
        '                        worked  close_page {"when": "later"}\n'
        "                        now     refused: when must be 'now'\n"
    )
    assert first.err.splitlines()[-2:] == ["1 server checked: 1 finding stands", "exit 1: breaking findings"]

    second = pages.run("watch", "--once")
    assert (second.code, second.out) == (1, "")

    pages.serve("pages", TOOL)
    third = pages.run("watch", "--once")
    assert third.code == 0
    assert plain(third.out) == f"TIME  RESOLVED  {SAID}  32df0fa (the server changed again)\n"
    assert pages.run("watch", "--once").out == ""

    pages.serve("pages", BROKEN)
    again = pages.run("watch", "--once", "--format", "json")
    assert kinds(again) == [("finding", "when no longer accepts 'later'")]


def test_an_event_is_the_finding_of_the_report_in_an_envelope(pages: Any, validator: Draft202012Validator) -> None:
    pages.serve("pages", BROKEN)
    (one,) = events(pages.run("watch", "--once", "--format", "json"))
    assert list(one) == ["schema_version", "id", "event", "time", "server", "lockfile", "finding"]
    assert one["finding"] == json.loads(pages.run("diff", "--format", "json").out)["findings"][0]
    assert list(validator.iter_errors(one)) == []


def test_every_kind_of_event_is_valid(pages: Any, validator: Draft202012Validator) -> None:
    found = []
    for tools in ([BROKEN], None, [BROKEN], [TOOL]):
        if tools is None:
            pages.write("pages.json", "no JSON")
        else:
            pages.serve("pages", *tools)
        found += events(pages.run("watch", "--once", "--format", "json"))
    assert [one["event"] for one in found] == ["finding", "unchecked", "recovered", "resolved"]
    assert [error.message for one in found for error in validator.iter_errors(one)] == []
    assert len({one["id"] for one in found}) == 4
    keys = {key for one in found for key in one}
    assert keys | {"dropped"} == set(validator.schema["properties"])  # type: ignore[index]


def test_what_is_accepted_is_told_with_the_reason(pages: Any) -> None:
    pages.serve("pages", BROKEN)
    pages.run("watch", "--once")
    pages.run("waive", "32df0fa", "--reason", "agreed")
    assert kinds(pages.run("watch", "--once", "--format", "json")) == [("resolved", "waiver")]
    pages.write("fusion.toml", pages.read("fusion.toml").partition("[[waivers]]")[0])
    assert kinds(pages.run("watch", "--once", "--format", "json")) == [("finding", "when no longer accepts 'later'")]
    pages.run("lock")
    assert kinds(pages.run("watch", "--once", "--format", "json")) == [("resolved", "lock")]


def test_findings_below_the_level_are_not_posted_and_the_exit_code_is_as_ever(pages: Any) -> None:
    pages.serve("pages", {**TOOL, "description": "Shut a page."}, {**TOOL, "name": "open_page"})
    none = pages.run("watch", "--once", "--level", "breaking")
    assert (none.code, none.out) == (0, "")
    risky = pages.run("watch", "--once", "--level", "risky", "--fail-on", "risky", "--format", "json")
    assert (risky.code, kinds(risky)) == (1, [("finding", "description reworded")])
    every = pages.run("watch", "--once", "--format", "json")
    assert [found for found in kinds(every) if "added" in found[1]] == [("finding", "added")]


def test_a_server_that_is_away_is_told_once_and_hides_no_other(pages: Any) -> None:
    words = pages.serve("desk", TOOL)
    pages.run("lock", "--name", "desk", *words)
    pages.write("desk.json", "no JSON")
    pages.serve("pages", BROKEN)
    first = pages.run("watch", "--once", "--format", "json")
    assert first.code == 1
    assert sorted(one["event"] for one in events(first)) == ["finding", "unchecked"]
    (away,) = [one["error"] for one in events(first) if one["event"] == "unchecked"]
    assert away["message"].startswith("stopped before it answered initialize (exit status 1), twice")
    assert first.err.splitlines()[-1] == "exit 1: breaking findings; 1 server not checked"
    pages.serve("pages", TOOL)
    pages.write("desk.json", "still no JSON, and another sentence")
    second = pages.run("watch", "--once", "--format", "json")
    assert (second.code, kinds(second)) == (2, [("resolved", "server")])
    assert second.err.splitlines()[-1] == "exit 2: could not check: 1 server not checked"
    pages.serve("desk", TOOL)
    third = pages.run("watch", "--once")
    assert third.code == 0
    assert plain(third.out).startswith("TIME  RECOVERED desk: checked again; before: stopped before it answered")


def test_what_was_found_stands_while_the_server_is_away(pages: Any) -> None:
    pages.serve("pages", BROKEN)
    pages.run("watch", "--once")
    pages.write("pages.json", "no JSON")
    assert [one["event"] for one in events(pages.run("watch", "--once", "--format", "json"))] == ["unchecked"]
    pages.serve("pages", TOOL)
    back = pages.run("watch", "--once", "--format", "json")
    assert sorted(one["event"] for one in events(back)) == ["recovered", "resolved"]


def test_a_server_that_may_be_away_is_no_event(pages: Any) -> None:
    pages.write("pages.json", "no JSON")
    result = pages.run("watch", "--once", "--allow-unreachable", "pages")
    assert (result.code, result.out) == (0, "")
    assert "(--allow-unreachable: not posted)" in result.err


def test_each_malformed_tool_is_told(pages: Any) -> None:
    pages.serve("pages", TOOL, {"name": "bad", "inputSchema": 1})
    first = pages.run("watch", "--once", "--format", "json")
    assert [one["event"] for one in events(first)] == ["unchecked"]
    pages.serve("pages", TOOL, {"name": "bad", "inputSchema": 1}, {"name": "worse", "inputSchema": 1})
    second = pages.run("watch", "--once", "--format", "json")
    assert [(one["event"], "worse" in one["error"]["message"]) for one in events(second)] == [("unchecked", True)]


def test_a_lock_that_was_edited_by_hand_is_told(pages: Any) -> None:
    pages.write("fusion.lock", pages.read("fusion.lock").replace("Close a page.", "Close the page."))
    found = events(pages.run("watch", "--once", "--format", "json"))
    assert [one["event"] for one in found] == ["finding", "unchecked"]
    assert found[0]["finding"]["message"] == "description reworded"
    assert found[1]["error"]["stage"] == "lock"


def test_a_source_of_the_command_line_is_compared_with_the_lock(pages: Any) -> None:
    words = pages.serve("other", BROKEN)
    result = pages.run("watch", "--once", *words)
    assert result.code == 1
    assert plain(result.out).splitlines()[0] == f"TIME  BREAKING  {SAID}  32df0fa"
    assert "pages: starting python serve.py other.json\n" in result.err


def test_a_source_of_several_servers_that_is_away_is_over_when_it_is_read(pages: Any) -> None:
    head, _, blocks = pages.read("fusion.lock").partition("\n\n")
    both = "\n".join([head, "", blocks.replace("servers.pages", "servers.other"), blocks])
    pages.write("fusion.lock", both)
    pages.write("seen.lock", both.replace("lock_version = 1", "lock_version = 99"))
    away = pages.run("watch", "--once", "--format", "json", "seen.lock")
    assert (away.code, kinds(away)) == (2, [("unchecked", "seen.lock has lock_version 99; this release reads 1")])
    pages.write("seen.lock", both)
    back = pages.run("watch", "--once", "--format", "json", "seen.lock")
    assert (back.code, kinds(back)) == (0, [("recovered", "seen.lock has lock_version 99; this release reads 1")])
    assert back.err.splitlines()[-2:] == ["2 servers checked: 0 findings stand", "exit 0: nothing at or above breaking"]


def test_what_stands_of_other_servers_is_left_alone_where_not_all_are_watched(pages: Any) -> None:
    words = pages.serve("desk", TOOL)
    pages.run("lock", "--name", "desk", *words)
    pages.serve("pages", BROKEN)
    pages.run("watch", "--once")
    assert pages.run("watch", "--once", "-s", "desk").out == ""
    pages.write("fusion.toml", pages.read("fusion.toml").replace("[sources.pages]", "[sources.gone]"))
    pages.run("lock", "--prune", "-s", "pages")
    left = pages.run("watch", "--once", "--format", "json")
    assert ("resolved", "unwatched") in kinds(left)


def test_a_server_that_the_lock_does_not_hold_is_not_started_and_is_told(pages: Any) -> None:
    command = json.dumps(pages.command("new"))
    pages.write("fusion.toml", pages.read("fusion.toml") + f"\n[sources.new]\ncommand = {command}\n")
    result = pages.run("watch", "--once")
    assert result.code == 2
    assert plain(result.out) == (
        "TIME  UNCHECKED new: the lock is stale: it is in the settings and not in the lock; run fusion lock -s new\n"
    )
    assert "starting python serve.py new.json" not in result.err


def test_a_source_that_the_lock_alone_names_is_not_started(pages: Any) -> None:
    pages.write("fusion.toml", "")
    result = pages.run("watch", "--once", "--format", "json")
    (one,) = events(result)
    said = "its source stands in the lock alone, and nothing that only a lock names is started"
    assert one["error"]["message"] == said
    assert "starting" not in result.err


def test_a_python_object_is_read_anew_each_time(project: Any) -> None:
    module = "from pydantic import BaseModel\nclass Close(BaseModel):\n    when: {}\n"
    project.write("shop.py", module.format("int"))
    assert project.run("lock", "--name", "shop", "shop.py:Close").code == 0
    assert project.run("watch", "--once").code == 0
    project.write("shop.py", module.format("bool"))
    result = project.run("watch", "--once", "--format", "json")
    assert (result.code, [one["event"] for one in events(result)]) == (1, ["finding"])


def test_a_python_object_that_kills_its_process_costs_itself_alone(project: Any) -> None:
    project.write("shop.py", "from pydantic import BaseModel\nclass Close(BaseModel):\n    when: int\n")
    project.run("lock", "--name", "shop", "shop.py:Close")
    project.write("shop.py", "import os\nos.kill(os.getpid(), 9)\n")
    result = project.run("watch", "--once")
    assert result.code == 2
    assert plain(result.out) == (
        "TIME  UNCHECKED shop: the process that imported it ended with status -9, and no answer; look at what its code"
        " does when it is imported\n"
    )


def test_names_that_a_server_chose_are_shown_and_never_obeyed(pages: Any) -> None:
    hostile = "\x1b[31m::error::x\n##[group] \u202e"
    pages.serve("pages", TOOL, {**TOOL, "name": "close_page2", "description": hostile, "title": hostile})
    pages.run("lock")
    pages.serve("pages", TOOL, {"name": "close_page2", "inputSchema": {"type": "object", "properties": {hostile: {}}}})
    text = pages.run("watch", "--once", "--state", "one").out
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in text.splitlines())
    assert not {"\x1b", "\u202e"} & set(text)
    lines = pages.run("watch", "--once", "--state", "two", "--format", "json").out
    assert lines.isascii()
    assert "##[" not in lines
    found = [json.loads(line)["finding"] for line in lines.splitlines()]
    assert hostile in [one["before"] for one in found]


def test_the_servers_of_a_client_are_watched_and_every_finding_counts(project: Any) -> None:
    for name in ("desk", "pages"):
        project.serve(name, TOOL)
    commands = {name: project.command(name) for name in ("desk", "pages")}
    entries = {name: {"command": words[0], "args": list(words[1:])} for name, words in commands.items()}
    project.write(".mcp.json", json.dumps({"mcpServers": entries}))
    assert project.run("lock", ".mcp.json").code == 0
    project.serve("desk", TOOL, {**TOOL, "name": "open_page"})
    result = project.run("watch", "--once", "--format", "json")
    assert (result.code, [one["server"] for one in events(result)]) == (1, ["desk"])
    assert kinds(result) == [("finding", "added")]


def test_a_secret_that_a_server_repeats_is_in_no_event(pages: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGES_TOKEN", "very-secret-value-17")
    pages.write("fusion.toml", pages.read("fusion.toml") + 'pass-env = ["PAGES_TOKEN"]\n')
    pages.serve("pages", BROKEN, instructions="Use it:", echo=["PAGES_TOKEN"])
    result = pages.run("watch", "--once", "--format", "json", "--output", "log.jsonl")
    assert "${PAGES_TOKEN}" in result.out
    pages.serve("pages", 1, instructions="Use it:", echo=["PAGES_TOKEN"])
    pages.run("watch", "--once", "--output", "log.jsonl")
    kept = b"".join(path.read_bytes() for path in pages.folder.rglob("*") if path.is_file())
    assert b"very-secret-value" not in kept + (result.out + result.err).encode()


def test_settings_hold_its_flags(pages: Any) -> None:
    pages.write("fusion.toml", pages.read("fusion.toml") + '\n[watch]\nlevel = "breaking"\nevery = "1h"\nlisten = 0\n')
    pages.serve("pages", {**TOOL, "description": "Shut a page."})
    assert pages.run("watch", "--once").out == ""
    pages.write("fusion.toml", pages.read("fusion.toml") + "once = true\n")
    assert pages.run("watch").err == (
        "fusion: fusion.toml: watch.once cannot be set; remove it: the settings would make another command of it:"
        " [watch] would never stay\nexit 2: could not check\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--every", "0"], "Invalid value for '--every': '0' is no time such as 30s, 5m, 1h or 1d."),
        (["--listen", "many"], "Invalid value for '--listen': 'many' is no number from 0 to 9999."),
        (["--name", "x"], "fusion: --name goes with a SOURCE or a command; name one, or write it in the settings"),
        (["--webhook-header", "A: b"], "fusion: --webhook-header goes with --webhook; name the URL with --webhook"),
        (["-s", "nobody"], "fusion: fusion.lock holds no server that matches nobody; it holds: pages"),
        (["--output", "fusion.lock"], "fusion: a report would take the place of fusion.lock"),
        (["--output", "no/log"], "fusion: cannot append to no/log: no such file or directory; check the path"),
        (["--state", "no/state"], "fusion: cannot keep what was posted in no/state: no such file or directory; make"),
        (["--webhook", "http://example.com/x"], "fusion: the webhook at example.com is plain http to another"),
        (["--webhook", "ftp://example.com/x"], "fusion: the URL ftp://example.com/x is no http or https address"),
        (
            ["--webhook", "https://a.example/${NOT_SET}"],
            "the URL https://a.example/${NOT_SET} needs the variable NOT_SET",
        ),
    ],
)
def test_what_cannot_be_watched_or_posted_is_said_before_anything_is_started(
    pages: Any, arguments: list[str], said: str
) -> None:
    result = pages.run("watch", "--once", *arguments)
    assert result.code == 2
    assert said in result.err
    assert "starting" not in result.err


def test_without_a_lock_there_is_nothing_to_watch(project: Any) -> None:
    result = project.run("watch")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "fusion: no lock at fusion.lock; run `fusion lock SOURCE` to write one\nexit 2: could not check\n"
    )


def test_events_are_appended_to_nothing_that_is_read(pages: Any) -> None:
    pages.write("other.toml", '[sources.shop]\npath = "shop.json"\n')
    before = pages.write("shop.json", '{"tools": []}').read_bytes()
    result = pages.run("watch", "--once", "--config", "other.toml", "--output", "shop.json")
    assert result.err.splitlines()[0].startswith("fusion: a report would take the place of shop.json")
    assert (pages.folder / "shop.json").read_bytes() == before
    result = pages.run("watch", "--once", "--output", "pages.json", "--", *pages.command("pages"))
    assert result.err.splitlines()[0].startswith("fusion: a report would take the place of pages.json")
