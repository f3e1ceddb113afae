"""`fusion explain`: the rules, and a finding in full."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusion_contracts.diff.rule import rule_ids

NEXT = "name what the report compared: OLD and NEW after the id, --base REV or --against release"
GROUP, FINGERPRINT = "b7eb760b93582aa4", "d96499d53e9cdc9f"

DOCUMENTATION = """\
Why it matters
  A call that sends a removed value was accepted before and is refused now.

What to do
  Keep accepting the value and map it inside the tool, or release a new tool beside the old one.

Reference
  JSON Schema 2020-12 Validation, section 6.1.2 (enum)
"""
RULE = f"""\
enum-value-removed: An enum lost values.
Level: BREAKING; SAFE where proved. On: input.

{DOCUMENTATION}
Example
  old      {{"type": "object", "properties": {{"unit": {{"enum": ["C", "F", "K"]}}}}}}
  new      {{"type": "object", "properties": {{"unit": {{"enum": ["C", "F"]}}}}}}
  witness  {{"unit": "K"}}
"""
FINDING = f"""\
enum-value-removed: An enum lost values.

BREAKING  close_page: when no longer accepts 'later'
  fingerprint  {FINGERPRINT}
  server       old
  pointer      /inputSchema/properties/when
  before       ["now", "later"]
  after        ["now"]
  worked       close_page {{"when": "later"}}
  now          refused: when must be 'now'

{DOCUMENTATION}"""


# --- rules -----------------------------------------------------------------------------------------------------------


def test_all_rules(project: Any) -> None:
    result = project.run("explain")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines] == list(rule_ids())
    assert lines[0] == f"{'action-added':<37}SAFE; BREAKING with a witness   A grouped tool has a new action."
    assert "…" not in result.out


def test_a_rule(project: Any) -> None:
    result = project.run("explain", "enum-value-removed")
    assert (result.code, result.err, result.out) == (0, "", RULE)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (
            "property-renamd",
            'there is no rule "property-renamd"; the nearest: property-renamed, property-removed, prompt-renamed',
        ),
        ("zzz", 'there is no rule "zzz"'),
        ("\x1b[31m", 'there is no rule "\\u{1b}[31m"'),
    ],
)
def test_an_unknown_rule(project: Any, word: str, said: str) -> None:
    result = project.run("explain", word)
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[0] == f"fusion: {said}; fusion explain lists them all"


def test_a_rule_needs_no_sources(pair: Any) -> None:
    said = "fusion: a rule is explained without sources; they go with the id of a finding: fusion explain ID OLD NEW"
    for words in (["old.json"], ["--base", "main"], ["--", "true"]):
        result = pair.run("explain", "enum-value-removed", *words)
        assert (result.code, result.err.splitlines()[0]) == (2, said)


# --- findings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", [GROUP, GROUP[:7], FINGERPRINT, FINGERPRINT[:7]])
def test_a_finding(pair: Any, word: str) -> None:
    result = pair.run("explain", word, "old.json", "new.json")
    assert (result.code, result.err, result.out) == (0, "", f"old.json -> new.json\n{FINDING}")


def test_a_group_and_one_of_its_findings(project: Any, close_page: Any, close_page_v2: Any) -> None:
    project.catalog("old.json", close_page, {**close_page, "name": "open_page"})
    project.catalog("new.json", close_page_v2, {**close_page_v2, "name": "open_page"})
    report = json.loads(project.run("diff", "old.json", "new.json", "--format", "json").out)
    first, second = (finding["fingerprint"] for finding in report["findings"])

    whole = project.run("explain", GROUP, "old.json", "new.json").out.splitlines()
    one = project.run("explain", second[:9], "old.json", "new.json").out.splitlines()

    assert [line.split()[1] for line in whole if line.startswith("  fingerprint")] == [first, second]
    assert whole[2] == one[2] == f"group {GROUP}: 2 findings"
    assert [line.split()[1] for line in one if line.startswith("  fingerprint")] == [second]
    assert f"also in the group: close_page {first}" in one


def test_nothing_is_cut(project: Any, close_page: Any) -> None:
    long = "x" * 300
    project.catalog("old.json", close_page)
    project.catalog("new.json", {**close_page, "description": long})
    report = json.loads(project.run("diff", "old.json", "new.json", "--format", "json").out)
    out = project.run("explain", report["findings"][0]["group"], "old.json", "new.json").out
    assert f'  before       "Close a page."\n  after        "{long}"\n' in out


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("0000000", f"no finding has an id that starts with 0000000; {NEXT}"),
        ("b7eb76", "b7eb76 is too short for an id; write at least 7 digits of it"),
    ],
)
def test_no_such_finding(pair: Any, word: str, said: str) -> None:
    result = pair.run("explain", word, "old.json", "new.json")
    assert result.code == 2
    assert result.err.splitlines()[0] == f"fusion: {said}"


@pytest.mark.parametrize("command", [["explain"], ["waive", "--reason", "agreed"]])
def test_a_second_id(pair: Any, command: list[str]) -> None:
    before = pair.files()
    result = pair.run(*command, GROUP, FINGERPRINT[:7])
    step = "it takes one id at a time, then OLD and NEW: run it once for each"
    said = f"fusion: {FINGERPRINT[:7]} looks like another id, and no file is called so; {step}"
    assert (result.code, result.err.splitlines()[0]) == (2, said)
    assert pair.files() == before


def test_a_file_that_is_called_like_an_id(pair: Any, close_page: Any) -> None:
    pair.catalog("abcdef0", {**close_page, "name": "other"})
    result = pair.run("explain", GROUP, "abcdef0", "new.json")
    assert (result.code, result.err.splitlines()[0]) == (
        2, f"fusion: no finding has an id that starts with {GROUP}; {NEXT}",
    )  # fmt: skip


def test_the_start_of_several_ids(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for digest in ("_digest", "_group"):
        monkeypatch.setattr(f"fusion_contracts.diff.findings.{digest}", lambda *parts: f"0123456{len(parts)}")
    result = pair.run("explain", "0123456", "old.json", "new.json")
    assert (result.code, result.err.splitlines()[0]) == (
        2, "fusion: 0123456 is the start of several ids; write more of one: 01234563, 01234567",
    )  # fmt: skip


def test_the_names_of_a_server_cannot_write_on_the_terminal(project: Any) -> None:
    hostile = {"name": "evil\x1b]0;owned\x07", "inputSchema": {}, "description": "\u202ea"}
    project.catalog("old.json", hostile)
    project.catalog("new.json")
    report = json.loads(project.run("diff", "old.json", "new.json", "--format", "json").out)
    out = project.run("explain", report["findings"][0]["fingerprint"], "old.json", "new.json").out
    assert "BREAKING  evil\\u{1b}]0;owned\\u{7}: removed\n" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


# --- without sources -------------------------------------------------------------------------------------------------


@pytest.fixture
def changed(repository: Any, close_page: Any, close_page_v2: Any) -> Any:
    """A repository whose lock has changed since the base; its server answers as the lock says."""
    repository.change_since_base("old", close_page, close_page_v2)
    return repository


def test_it_looks_where_check_looks_and_starts_nothing(changed: Any) -> None:
    changed.write("pages.json", "no JSON: the server would die")
    result = changed.run("explain", GROUP)
    assert (result.code, result.err) == (0, "")
    first, rest = result.out.split("\n", 1)
    assert first.startswith("fusion.lock at origin/HEAD (")
    assert first.endswith(" -> fusion.lock")
    assert rest == FINDING


def test_it_looks_then_where_diff_looks(changed: Any, close_page: Any) -> None:
    changed.commit()
    changed.git("update-ref", "refs/remotes/origin/main", "HEAD")
    changed.serve("pages", {**close_page, "inputSchema": {"type": "object", "properties": {"when": {"enum": []}}}})
    report = json.loads(changed.run("diff", "--format", "json").out)
    result = changed.run("explain", report["findings"][0]["fingerprint"])
    assert result.code == 0
    assert result.err == "old: starting python serve.py pages.json\n"
    assert result.out.splitlines()[1] == "fusion.lock -> 1 live server"
    assert report["findings"][0]["fingerprint"] in result.out


def test_without_a_repository_it_looks_where_diff_looks(project: Any, close_page: Any, close_page_v2: Any) -> None:
    project.run("lock", "--name", "old", *project.serve("pages", close_page))
    project.serve("pages", close_page_v2)
    result = project.run("explain", GROUP)
    assert (result.code, result.out) == (0, f"fusion.lock -> 1 live server\n{FINDING}")


def test_that_there_is_no_base_is_said_before_a_server_is_started(repository: Any, close_page: Any) -> None:
    repository.run("lock", "--name", "old", *repository.serve("pages", close_page))
    note = "note: the lock was not compared with its base: "
    rest = (
        "old: starting python serve.py pages.json\n"
        f"fusion: no finding has an id that starts with {GROUP}; {NEXT}\nexit 2: could not check\n"
    )
    result = repository.run("explain", GROUP)
    assert (result.code, result.err) == (2, f"{note}HEAD does not exist\n{rest}")
    repository.commit()
    result = repository.run("explain", GROUP)
    assert result.code == 2
    assert result.err == (
        f"{note}there is no base to compare with: this repository has no remote origin; name a branch, tag or commit "
        f"with --base REV\n{rest}"
    )


def test_a_base_that_is_named(changed: Any) -> None:
    result = changed.run("explain", GROUP, "--base", "main")
    assert result.code == 0
    assert result.out.endswith(FINDING)


def test_a_finding_about_a_waiver_has_an_id_that_is_found(repository: Any, close_page: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit("first")
    waiver = '[[waivers]]\nrule = "tool-removed"\nreason = "told"\nuntil = 2999-12-31\n'
    repository.write("fusion.toml", f'base = "main"\n{repository.read("fusion.toml")}\n{waiver}')
    report = json.loads(repository.run("check", "--offline", "--format", "json").out)
    (finding,) = report["findings"]
    for identifier in (finding["fingerprint"], finding["group"][:7]):
        result = repository.run("explain", identifier)
        assert (result.code, result.err) == (0, "")
        assert "RISKY  waivers: the waiver for tool-removed matches nothing\n" in result.out
