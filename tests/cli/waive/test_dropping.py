"""`fusion waive --prune`: which waivers it drops, and which it keeps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from waiving import OTHER, finding, release


def test_what_is_spent_or_expired_is_dropped(changed: Any, close_page: Any) -> None:
    before = changed.read("fusion.toml")
    changed.run("waive", finding(changed)["group"], "--reason", "agreed")
    kept = '\n[[waivers]]\nrule = "tool-added"\nreason = "new"\nuntil = 2026-12-31\n'
    release(changed)
    over = '\n[[waivers]]\nrule = "tool-removed"\nreason = "over"\nuntil = 2026-11-30\n'
    changed.write("fusion.toml", changed.read("fusion.toml") + over + kept)
    result = changed.run("waive", "--prune")
    assert result.code == 0
    assert [line.split(", ")[1] for line in result.out.splitlines()[:-1]] == ["accepts nothing any more", "expired"]
    assert result.out.endswith("exit 0: dropped 2 waivers from fusion.toml\n")
    assert changed.read("fusion.toml") == before + kept
    assert changed.run("waive", "--prune").out == "exit 0: nothing to drop in fusion.toml\n"


def test_what_a_live_server_needs_is_kept(changed: Any, close_page: Any) -> None:
    release(changed)
    changed.serve("pages", close_page)
    group = json.loads(changed.run("diff", "--format", "json").out)["findings"][0]["group"]
    changed.run("waive", group, "--reason", "agreed")
    release(changed)
    before = changed.files()
    result = changed.run("waive", "--prune")
    assert (result.code, result.out) == (0, "exit 0: nothing to drop in fusion.toml\n")
    assert changed.files() == before


def test_what_a_server_that_was_not_read_could_need_is_kept(changed: Any) -> None:
    changed.run("waive", finding(changed)["group"], "--reason", "agreed")
    rule = ("waive", "--rule", "enum-value-removed", "--until", "2026-12-31", "--reason", "agreed", "-s")
    changed.run(*rule, "p*")
    changed.run(*rule, "mail")
    release(changed)
    changed.write("pages.json", "no JSON: the server dies")
    result = changed.run("waive", "--prune")
    assert result.code == 2
    assert result.out == (
        "dropped: enum-value-removed of mail, accepts nothing any more\n"
        "exit 2: dropped 1 waiver from fusion.toml; could not check 2 waivers\n"
    )
    assert "fusion: pages: " in result.err


def test_what_a_check_against_a_release_needs_is_kept(repository: Any, close_page: Any, close_page_v2: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.run("release", "1")
    release(repository)
    repository.serve("pages", close_page_v2)
    repository.run("lock")
    base = ("--base", "origin/main")
    report = json.loads(repository.run("check", "--offline", "--format", "json", *base).out)
    repository.run("waive", report["findings"][0]["group"], "--reason", "agreed", *base)
    release(repository)
    result = repository.run("check", "--offline", *base, "--fail-on", "any")
    assert (result.code, result.err) == (0, "")
    assert repository.run("check", "--offline", *base, "--against", "release").code == 0
    assert repository.run("waive", "--prune", *base).out == "exit 0: nothing to drop in fusion.toml\n"
    repository.run("release", "2")
    assert repository.run("waive", "--prune", *base).out.endswith("exit 0: dropped 1 waiver from fusion.toml\n")


def test_without_a_base_only_expired_ones_are_dropped(project: Any, close_page: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    over = OTHER.replace("0000000", "1111111") + "until = 2026-11-30\n"
    project.write("fusion.toml", project.read("fusion.toml") + over + OTHER)
    result = project.run("waive", "--prune")
    assert (result.code, result.out) == (
        2,
        "dropped: 1111111, expired\nexit 2: dropped 1 waiver from fusion.toml; could not check 1 waiver\n",
    )


def test_waivers_that_come_or_go_while_prune_looks_are_left_alone(
    changed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fusion_contracts.cli import pruning

    expired = OTHER + "until = 2026-11-01\n"
    before = changed.read("fusion.toml")
    changed.write("fusion.toml", f"{before}\n{expired}")
    spent = pruning._spent  # the long part: servers are asked

    def slow(*arguments: Any) -> Any:
        changed.write("fusion.toml", f"{before}\n{OTHER.replace('0000000', '1111111')}\n{expired}")
        return spent(*arguments)

    monkeypatch.setattr(pruning, "_spent", slow)
    result = changed.run("waive", "--prune")
    assert (result.code, result.out) == (2, "")
    assert "was changed meanwhile; nothing was written; run it again" in result.err
    assert changed.read("fusion.toml") == f"{before}\n{OTHER.replace('0000000', '1111111')}\n{expired}"
