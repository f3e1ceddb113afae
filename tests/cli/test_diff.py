"""`fusion diff`: what it compares, what it prints, how it ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusion_contracts.diff.rule import find

BREAKING = (
    "BREAKING  old: 1 breaking\n"
    "  close_page                     when no longer accepts 'later'                              d96499d\n"
    '      worked  close_page {"when": "later"}\n'
    "      now     refused: when must be 'now'\n"
)
ACCEPT = '\nAccept on purpose: fusion waive d96499d --reason "..." old.json new.json'
WHY = f"{ACCEPT}\nWhy: fusion explain enum-value-removed\n"


@pytest.fixture
def locked(project: Any, close_page: Any, list_pages: Any) -> Any:
    """A project with two locked servers."""
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    project.run("lock", "--name", "lists", *project.serve("lists", list_pages))
    return project


def test_two_catalogs(pair: Any) -> None:
    result = pair.run("diff", "old.json", "new.json")
    assert (result.code, result.err) == (1, "")
    assert result.out == f"old.json -> new.json\n{BREAKING}{WHY}exit 1: breaking findings\n"


def test_json(pair: Any) -> None:
    result = pair.run("diff", "old.json", "new.json", "--format", "json")
    assert result.code == 1
    assert result.err == "old.json -> new.json\nexit 1: breaking findings\n"
    assert json.loads(result.out) == {
        "schema_version": 1,
        "base": {"label": "old.json", "kind": "catalog"},
        "head": {"label": "new.json", "kind": "catalog"},
        "summary": {"breaking": 1, "risky": 0, "safe": 0, "waived": 0, "verdict": "BREAKING"},
        "findings": [
            {
                "rule": "enum-value-removed",
                "level": "BREAKING",
                "server": "old",
                "tool": "close_page",
                "action": "close_page",
                "side": "input",
                "pointer": "/inputSchema/properties/when",
                "message": "when no longer accepts 'later'",
                "hint": find("enum-value-removed").hint,
                "before": ["now", "later"],
                "after": ["now"],
                "witness": {"when": "later"},
                "group": "b7eb760b93582aa4",
                "fingerprint": "d96499d53e9cdc9f",
            }
        ],
        "errors": [],
    }


def test_nothing_changed(pair: Any) -> None:
    result = pair.run("diff", "old.json", "old.json")
    assert (result.code, result.out) == (0, "old.json -> old.json\nno changes\nexit 0: nothing at or above breaking\n")


@pytest.mark.parametrize(
    ("tool", "fail_on", "code", "last"),
    [
        ("breaking", "breaking", 1, "exit 1: breaking findings"),
        ("breaking", "never", 0, "exit 0: findings do not count (fail-on is never)"),
        ("safe", "breaking", 0, "exit 0: nothing at or above breaking"),
        ("safe", "risky", 0, "exit 0: nothing at or above risky"),
        ("safe", "any", 1, "exit 1: findings"),
        ("risky", "breaking", 0, "exit 0: nothing at or above breaking"),
        ("risky", "risky", 1, "exit 1: risky or breaking findings"),
        ("same", "any", 0, "exit 0: no findings"),
    ],
)
def test_from_which_level_on_it_fails(  # noqa: PLR0913, PLR0917 - two tools and four columns
    pair: Any, close_page: Any, list_pages: Any, tool: str, fail_on: str, code: int, last: str
) -> None:
    pair.catalog("safe.json", close_page, list_pages)
    pair.catalog("risky.json", {**close_page, "description": "Close one page of the browser."})
    new = {"breaking": "new.json", "same": "old.json"}.get(tool, f"{tool}.json")

    result = pair.run("diff", "old.json", new, "--fail-on", fail_on)

    assert (result.code, result.out.splitlines()[-1]) == (code, last)


def test_the_settings_say_how_it_is_judged_and_the_command_line_wins(pair: Any) -> None:
    pair.write("fusion.toml", 'fail-on = "risky"\nlevels = { enum-value-removed = "risky" }\n')
    result = pair.run("diff", "old.json", "new.json")
    assert (result.code, result.out.splitlines()[1]) == (1, "RISKY  old: 1 risky")
    assert pair.run("diff", "old.json", "new.json", "--fail-on", "breaking").code == 0


def test_output_into_a_file(pair: Any) -> None:
    result = pair.run("diff", "old.json", "new.json", "--output", "report.txt")
    assert (result.code, result.out) == (1, "")
    assert result.err == "old.json -> new.json\nexit 1: breaking findings\n"
    assert pair.read("report.txt") == BREAKING + WHY


def test_the_lock_against_a_command(locked: Any, close_page_v2: Any) -> None:
    command = locked.serve("pages", close_page_v2)
    result = locked.run("diff", "-s", "pages", *command)
    assert result.code == 1
    assert result.out.splitlines()[:2] == ["fusion.lock -> python serve.py pages.json", "BREAKING  pages: 1 breaking"]


def test_a_variable_is_handed_to_the_command(locked: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODE_OF_USE", "quiet")
    locked.write("pages.json", json.dumps({"tools": [close_page], "instructions": "loud", "serverInfo": {"name": "x"}}))
    command = locked.serve("other", close_page, echo=["MODE_OF_USE"])
    told = [
        locked.run("diff", "pages.json", "--show", "all", *options, *command).out
        for options in ([], ["--pass-env", "MODE_OF_USE"])
    ]
    assert ['"nothing"' in told[0], '"quiet"' in told[1]] == [True, True], told


def test_a_command_of_no_namesake_among_several(locked: Any, close_page: Any) -> None:
    result = locked.run("diff", *locked.serve("other", close_page))
    assert (result.code, result.out) == (2, "fusion.lock -> python serve.py other.json\n")
    assert result.err.splitlines()[-2] == (
        "fusion: fusion.lock holds several servers and none is called from_file; choose one with -s: lists, pages"
    )


def test_the_lock_against_its_live_sources(locked: Any, close_page_v2: Any) -> None:
    locked.serve("pages", close_page_v2)
    result = locked.run("diff")
    assert result.code == 1
    assert result.out.splitlines()[:2] == ["fusion.lock -> 2 live servers", "BREAKING  pages: 1 breaking"]


def test_a_live_source_that_does_not_answer_hides_no_other(locked: Any, close_page_v2: Any) -> None:
    locked.serve("pages", close_page_v2)
    locked.write("lists.json", "no JSON: the server dies")

    result = locked.run("diff", "--format", "json")

    report = json.loads(result.out)
    assert [finding["rule"] for finding in report["findings"]] == ["enum-value-removed"]
    assert [(error["server"], error["stage"]) for error in report["errors"]] == [("lists", "start")]
    assert (result.code, result.err.splitlines()[-1]) == (1, "exit 1: breaking findings; 1 server not checked")


def test_what_could_not_be_checked_is_told(locked: Any) -> None:
    locked.write("lists.json", "no JSON: the server dies")
    result = locked.run("diff", "-s", "lists")
    assert result.code == 2
    lines = result.out.splitlines()
    assert lines[:2] == ["fusion.lock -> 1 live server", "NOT CHECKED"]
    assert lines[-1] == "exit 2: could not check: 1 server not checked"


def test_a_malformed_tool_is_not_told_as_removed(project: Any, close_page: Any) -> None:
    project.catalog("old.json", close_page)
    project.catalog("new.json", {**close_page, "inputSchema": 5})
    result = project.run("diff", "old.json", "new.json", "--format", "json")
    report = json.loads(result.out)
    assert (result.code, report["findings"], report["summary"]["verdict"]) == (2, [], "UNKNOWN")
    assert report["errors"] == [
        {
            "server": "new",
            "stage": "normalise",
            "message": "tool close_page is refused: its input schema is a number, neither a JSON object nor null",
            "next": "correct it in the server; its old entry stays in the lock and the rest is read",
        }
    ]


def test_an_early_end_is_a_report_for_machines_too(project: Any) -> None:
    result = project.run("diff", "gone.json", "gone.json", "--format", "json")
    assert result.code == 2
    report = json.loads(result.out)
    assert report["summary"] == {"breaking": 0, "risky": 0, "safe": 0, "waived": 0, "verdict": "UNKNOWN"}
    assert report["errors"] == [
        {
            "server": None,
            "stage": "read",
            "message": "gone.json does not exist",
            "next": "check the path; a server's command goes after --",
        }
    ]
    assert result.err.splitlines()[0] == (
        "fusion: gone.json does not exist; check the path; a server's command goes after --"
    )


def test_three_sources(pair: Any) -> None:
    result = pair.run("diff", "old.json", "new.json", "--", "true")
    assert result.err.splitlines()[0] == (
        "fusion: three sources are named; name OLD and NEW; --base stands for OLD, a command for NEW"
    )


def test_one_server_of_two_was_removed(locked: Any) -> None:
    whole = locked.read("fusion.lock")
    locked.write("less.lock", whole[: whole.index("[servers.pages]")])
    result = locked.run("diff", "fusion.lock", "less.lock")
    assert result.code == 1
    assert result.out.splitlines()[1].startswith("BREAKING  pages: 1 breaking")


def test_no_server_of_that_name(locked: Any) -> None:
    result = locked.run("diff", "fusion.lock", "fusion.lock", "-s", "x*")
    assert result.err.splitlines()[0] == "fusion: neither side holds a server that matches x*; check -s"


def test_what_the_server_chose_cannot_write_on_the_terminal(project: Any) -> None:
    hostile = {"name": "evil\x1b]0;owned\x07\u202e", "inputSchema": {}}
    project.catalog("old.json", hostile)
    project.catalog("new.json")
    result = project.run("diff", "old.json", "new.json", "--show", "all")
    assert "\x1b" not in result.out
    assert "\u202e" not in result.out
    assert "evil\\u{1b}]0;owned\\u{7}\\u{202e}" in result.out


# --- what the tools cost ---------------------------------------------------------------------------------------------


@pytest.fixture
def longer(project: Any, close_page: Any) -> Any:
    """A project with two catalogs, the second of which costs 700 tokens more."""
    project.catalog("old.json", close_page)
    project.catalog("new.json", {**close_page, "description": "Close it. " * 315})
    return project


def test_a_catalog_that_grew_is_a_finding(longer: Any) -> None:
    result = longer.run("diff", "old.json", "new.json")
    assert result.out == (
        "old.json -> new.json\n"
        "RISKY  old: 2 risky\n"
        "  server                         the tools cost the model 29 -> 726 tokens (+2,403 %,        ac4a83d\n"
        "                                 estimate)\n"
        "  1 tool                         descriptions reworded (--show prose)\n"
        "\n"
        "Why: fusion explain catalog-tokens-grew\n"
        "exit 0: nothing at or above breaking\n"
    )


def test_the_settings_say_how_much_it_may_grow(longer: Any) -> None:
    longer.write("fusion.toml", "token-growth-percent = 2500\n")
    result = longer.run("diff", "old.json", "new.json")
    assert result.out == (
        "old.json -> new.json\n"
        "RISKY  old: 1 risky\n"
        "  1 tool                         descriptions reworded (--show prose)\n"
        "Cost to the model: 29 -> 726 tokens (+2,403 %, estimate)\n"
        "\n"
        "Why: fusion explain description-changed\n"
        "exit 0: nothing at or above breaking\n"
    )


def test_its_level_is_the_project_s(longer: Any) -> None:
    longer.write("fusion.toml", 'levels = { catalog-tokens-grew = "breaking" }\n')
    assert longer.run("diff", "old.json", "new.json").code == 1
    longer.write("fusion.toml", 'levels = { catalog-tokens-grew = "safe" }\n')
    assert longer.run("diff", "old.json", "new.json").out.splitlines()[3:5] == [
        "SAFE  1 minor change (--show safe)",
        "Cost to the model: 29 -> 726 tokens (+2,403 %, estimate)",
    ]


def test_the_numbers_stand_in_the_finding_for_machines(longer: Any) -> None:
    report = json.loads(longer.run("diff", "old.json", "new.json", "--format", "json").out)
    assert list(report) == ["schema_version", "base", "head", "summary", "findings", "errors"]
    (finding,) = [one for one in report["findings"] if one["rule"] == "catalog-tokens-grew"]
    about = {key: finding[key] for key in ("tool", "action", "side", "pointer", "before", "after")}
    assert about == {
        "tool": None, "action": None, "side": "server", "pointer": "/tools", "before": 29, "after": 726,
    }  # fmt: skip


# --- git -------------------------------------------------------------------------------------------------------------


def test_the_lock_at_a_revision(repository: Any, close_page: Any, close_page_v2: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    commit = repository.commit()
    repository.serve("pages", close_page_v2)
    repository.run("lock")

    result = repository.run("diff", "--base", "main")

    assert result.code == 1
    assert result.out.splitlines()[:2] == [
        f"fusion.lock at main ({commit[:7]}) -> fusion.lock",
        "BREAKING  pages: 1 breaking",
    ]
    named = repository.run("diff", "git:main").out.replace("git:main", "--base main")
    assert named.splitlines()[1:] == result.out.splitlines()[1:]
    report = json.loads(repository.run("diff", "--base", commit[:9], "--format", "json").out)
    assert report["base"] == {"label": f"fusion.lock at {commit[:9]}", "kind": "git", "revision": commit}


def test_the_base_against_a_command(repository: Any, close_page: Any, close_page_v2: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit()
    result = repository.run("diff", "--base", "main", *repository.serve("pages", close_page_v2))
    assert (result.code, result.out.splitlines()[1]) == (1, "BREAKING  pages: 1 breaking")


def test_no_lock_at_the_base(repository: Any, close_page: Any) -> None:
    repository.commit("empty")
    repository.run("lock", repository.catalog("pages.json", close_page))
    result = repository.run("diff", "--base", "main")
    assert result.code == 0
    assert result.out == (
        "first lock: nothing to compare, fusion.lock is not there at main\n"
        "no changes\n"
        "exit 0: nothing at or above breaking\n"
    )


def test_an_unknown_revision(repository: Any, close_page: Any) -> None:
    repository.run("lock", repository.catalog("pages.json", close_page))
    repository.commit()
    result = repository.run("diff", "--base", "nowhere")
    assert result.code == 2
    assert result.err.splitlines()[0] == (
        "fusion: the revision nowhere is not in this clone; check the name, or fetch it: git fetch origin nowhere"
    )
