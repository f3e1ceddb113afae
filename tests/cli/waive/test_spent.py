"""Waivers that accept nothing: when that is a finding, and how they are listed."""

from __future__ import annotations

import json
from typing import Any

from waiving import OTHER, finding, release


def test_one_that_is_added_and_matches_nothing_is_a_finding_until_it_is_at_the_base(changed: Any) -> None:
    changed.write("fusion.toml", changed.read("fusion.toml") + OTHER)
    for command in (["check", "--offline"], ["diff", "--base", "main"]):
        result = changed.run(*command)
        assert "RISKY  fusion.toml: 1 risky\n" in result.out
        assert "\n  waivers                        the waiver for 0000000 matches nothing" in result.out
        assert "note: " not in result.err
    assert "fusion.toml" not in changed.run("diff", "--base", "main", "-s", "pages").out
    assert "fusion.toml:" not in changed.run("diff").out
    release(changed)
    result = changed.run("check", "--offline", "--fail-on", "any")
    assert (result.code, result.err) == (
        0, "note: 1 waiver accepts nothing any more: fusion waive --prune drops it\n",
    )  # fmt: skip


def test_a_stale_lock_says_nothing_of_waivers_that_are_not_needed_yet(changed: Any, close_page: Any) -> None:
    release(changed)
    changed.serve("pages", close_page)
    group = json.loads(changed.run("diff", "--format", "json").out)["findings"][0]["group"]
    changed.run("waive", group, "--reason", "agreed")
    result = changed.run("check")
    assert result.code == 1
    assert "matches nothing" not in result.out
    changed.run("lock")
    assert changed.run("check", "--fail-on", "any").code == 0


def test_the_first_lock_and_an_unknown_base_say_nothing_of_waivers(repository: Any, close_page: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.write("fusion.toml", repository.read("fusion.toml") + OTHER)
    assert "matches nothing" not in repository.run("check", "--offline").out
    (repository.folder / "other").write_text("", encoding="utf-8")
    repository.git("add", "other")
    repository.git("commit", "-q", "-m", "one")
    assert "matches nothing" not in repository.run("check", "--offline", "--base", "main").out


def test_waivers_are_listed_with_what_they_accept(changed: Any) -> None:
    assert changed.run("waive").out == "exit 0: no waivers in fusion.toml\n"
    found = finding(changed)["fingerprint"]
    over = '[[waivers]]\nrule = "tool-removed"\nreason = "over"\nuntil = 2026-11-30\n'
    changed.write("fusion.toml", changed.read("fusion.toml") + OTHER + over)
    changed.git("add", "fusion.toml")
    changed.git("commit", "-q", "-m", "waivers", "--only", "fusion.toml")
    changed.git("update-ref", "refs/remotes/origin/main", "HEAD")
    changed.run("waive", found, "--reason", "agreed", "--until", "2026-12-31")
    changed.run("waive", "--rule", "tool-added", "--until", "2026-12-31", "--reason", "soon")
    result = changed.run("waive")
    assert (result.code, result.err) == (0, "")
    assert result.out.split("\n", 1)[1] == (
        "0000000: accepts nothing any more (--prune drops it)\n"
        "  reason   a\n"
        "tool-removed: expired on 2026-11-30\n"
        "  reason   over\n"
        f"{found[:7]}: accepts 1 finding, until 2026-12-31\n"
        "  reason   agreed\n"
        f"  {found[:7]}  BREAKING  close_page: when no longer accepts 'later'\n"
        "tool-added: accepts nothing here, until 2026-12-31\n"
        "  reason   soon\n"
        "exit 0: 4 waivers in fusion.toml\n"
    )
