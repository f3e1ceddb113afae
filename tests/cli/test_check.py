"""`fusion check`: intact, fresh, compatible, in one report with one exit."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

EDITED = "tool close_page was edited by hand or merged badly: its {}"


def test_all_three_hold(committed: Any) -> None:
    commit = committed.commit("again")
    result = committed.run("check", "--base", "main")
    assert result.code == 0
    assert result.err == "pages: starting python serve.py pages.json\n"
    assert result.out == (
        "fusion check: fusion.lock, 1 server\n"
        "intact      yes\n"
        "fresh       1 server unchanged\n"
        f"compatible  with fusion.lock at main ({commit[:7]}): no changes\n"
        "exit 0: nothing at or above breaking\n"
    )


def test_a_breaking_change_offline(committed: Any, close_page_v2: Any) -> None:
    base = committed.git("rev-parse", "HEAD")
    committed.git("switch", "-q", "-c", "change")
    committed.serve("pages", close_page_v2)
    committed.run("lock")
    committed.commit()

    result = committed.run("check", "--offline", "--base", "main")

    assert (result.code, result.err) == (1, "")
    assert result.out == (
        "fusion check: fusion.lock, 1 server\n"
        "intact      yes\n"
        "fresh       not asked (--offline)\n"
        f"compatible  with fusion.lock at main ({base[:7]}): 1 breaking\n"
        "\n"
        "BREAKING  pages: 1 breaking\n"
        "  close_page                     when no longer accepts 'later'                              32df0fa\n"
        '      worked  close_page {"when": "later"}\n'
        "      now     refused: when must be 'now'\n"
        "Least version bump: major (1.0.0 -> 2.0.0)\n"
        "\n"
        'Accept on purpose: fusion waive 32df0fa --reason "..." --base main\n'
        "Why: fusion explain enum-value-removed\n"
        "exit 1: breaking findings\n"
    )
    assert committed.run("check", "--offline", "--base", "main", "--fail-on", "never").code == 0


def test_several_servers_at_three_in_the_morning(committed: Any, close_page: Any, close_page_v2: Any) -> None:
    for name in ("good", "dead"):
        committed.run("lock", "--name", name, *committed.serve(name, close_page))
    committed.commit()
    committed.serve("pages", close_page_v2)
    committed.write("dead.json", "no JSON: the server dies")

    result = committed.run("check", "--base", "HEAD")

    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[:6] == [
        "fusion check: fusion.lock, 3 servers",
        "intact      yes",
        "fresh       1 server unchanged, 1 server changed, 1 server not checked",
        "  pages  BREAKING  1 breaking",
        "      changed: tool close_page (interface)",
        "      next: fusion diff -s pages shows what changed, fusion lock -s pages accepts it",
    ]
    assert lines[6].startswith("  dead  not checked: stopped before it answered initialize (exit status 1), twice.")
    assert lines[7].startswith("      next: ")
    assert lines[-1] == "exit 1: fusion.lock is stale; 1 server not checked"


def test_everything_is_wrong_at_once(committed: Any, close_page_v2: Any) -> None:
    text = committed.read("fusion.lock").replace("Close a page.", "Close a tab.").replace('  "later",\n', "")
    committed.write("fusion.lock", text)
    committed.serve("pages", close_page_v2)

    result = committed.run("check", "--base", "main", "--format", "json")

    report = json.loads(result.out)
    commit = committed.git("rev-parse", "HEAD")
    assert result.code == 1
    assert report["base"] == {"label": f"fusion.lock at main ({commit[:7]})", "kind": "git", "revision": commit}
    assert report["head"] == {"label": "fusion.lock", "kind": "lock"}
    assert report["summary"] == {"breaking": 1, "risky": 1, "safe": 0, "waived": 0, "verdict": "BREAKING"}
    assert report["errors"] == [
        {
            "server": "pages",
            "stage": "lock",
            "message": EDITED.format("interface and prose digests do not match"),
            "next": "run `fusion lock`",
        },
        {
            "server": "pages",
            "stage": "lock",
            "message": "the lock is stale: tool close_page (prose)",
            "next": "fusion diff -s pages shows what changed, fusion lock -s pages accepts it",
        },
    ]
    assert result.err.splitlines()[-1] == (
        "exit 1: breaking findings; fusion.lock was edited by hand or merged badly; fusion.lock is stale"
    )


def test_an_edited_lock_fails_though_nothing_else_is_wrong(committed: Any, close_page: Any) -> None:
    committed.write("fusion.lock", committed.read("fusion.lock").replace("Close a page.", "Close a tab."))
    result = committed.run("check", "--offline", "--base", "main")
    assert result.code == 1
    assert result.out.splitlines()[1:3] == [
        "intact      no",
        f"  pages: {EDITED.format('prose digest does not match')}; run `fusion lock`",
    ]


def test_an_unpinned_package_is_named(committed: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, close_page: Any,
                                      close_page_v2: Any) -> None:  # fmt: skip
    runner = tmp_path / "bin" / "npx"
    runner.parent.mkdir()
    python, script = committed.command("x")[:2]
    runner.write_text(f'#!/bin/sh\nexec "{python}" "{script}" pages.json\n', encoding="utf-8")
    runner.chmod(0o755)
    monkeypatch.setenv("PATH", f"{runner.parent}:/usr/bin:/bin")
    committed.run("lock", "--name", "play", "--", "npx", "-y", "@playwright/mcp@latest")
    committed.commit()
    committed.serve("pages", close_page_v2)

    result = committed.run("check", "--base", "HEAD", "-s", "play")

    assert "  play  BREAKING  1 breaking (@playwright/mcp@latest is unpinned; locked: 1.0.0)\n" in result.out


def test_not_a_repository(project: Any, close_page: Any) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    result = project.run("check", "--base", "main")
    assert result.code == 2
    assert "compatible  not checked: git cannot resolve" in result.out


def test_no_lock(repository: Any) -> None:
    result = repository.run("check", "--format", "json")
    assert result.code == 2
    assert json.loads(result.out)["errors"] == [
        {
            "server": None,
            "stage": "lock",
            "message": "no lock at fusion.lock",
            "next": "run `fusion lock SOURCE` to write one",
        }
    ]


def test_a_command_is_refused(committed: Any) -> None:
    result = committed.run("check", "--", "true")
    assert result.code == 2
    assert result.err.splitlines()[0] == (
        "fusion: fusion check takes no command after --; configure it: fusion lock -- COMMAND does"
    )


def test_it_writes_nothing(committed: Any, close_page_v2: Any) -> None:
    committed.serve("pages", close_page_v2)
    before = committed.files()
    committed.run("check", "--base", "main")
    assert committed.files() == before


def test_a_name_from_a_lock_is_no_command_to_run(project: Any) -> None:
    project.write("fusion.toml", '[sources."x; rm -rf ~"]\npath = "x.json"\n')
    project.write("fusion.lock", "lock_version = 1\n")
    project.catalog("x.json")
    result = project.run("lock", "--check")
    assert result.out.splitlines()[0] == (
        "x; rm -rf ~: the lock is stale: it is in the settings and not in the lock; run fusion lock -s 'x; rm -rf ~'"
    )


EMPTY = "fusion: fusion.lock holds no server; lock one first: fusion lock SOURCE\nexit 2: could not check\n"


def test_a_lock_without_servers_is_no_success(repository: Any) -> None:
    repository.write("fusion.lock", "lock_version = 1\n")
    repository.commit()
    repository.git("update-ref", "refs/remotes/origin/HEAD", "HEAD")
    for words in ("check", "check --offline", "check --base main", "check --local", "lock --check", "diff"):
        result = repository.run(*words.split())
        assert (result.code, result.err) == (2, EMPTY)


def test_settings_whose_servers_are_not_locked_yet_are_told_as_stale(repository: Any, close_page: Any) -> None:
    repository.write("fusion.lock", "lock_version = 1\n")
    repository.write("fusion.toml", '[sources.pages]\npath = "pages.json"\n')
    repository.catalog("pages.json", close_page)
    repository.commit()
    result = repository.run("check", "--base", "main")
    assert (result.code, result.out.splitlines()[-1]) == (1, "exit 1: fusion.lock is stale")
    assert repository.run("check", "--base", "main", "--offline").err == EMPTY  # nothing is compared there


def test_a_lock_that_was_emptied_is_told_once(repository: Any, close_page: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit()
    repository.write("fusion.toml", "")
    assert repository.run("lock", "--prune", "--write").code == 0
    result = repository.run("check", "--base", "main")
    assert (result.code, result.out.splitlines()[-1]) == (1, "exit 1: breaking findings")
    repository.commit()
    result = repository.run("check", "--base", "main")
    assert (result.code, result.out, result.err) == (2, "", EMPTY)


# --- only servers of the repository ----------------------------------------------------------------------------------


def fresh(result: Any) -> str:
    return next(str(line) for line in result.out.splitlines() if line.startswith("fresh "))


def test_local_starts_only_servers_of_the_repository(repository: Any, close_page: Any, close_page_v2: Any) -> None:
    command = list(repository.command("pages"))
    for name in ("mine", "other"):
        repository.run("lock", "--name", name, *repository.serve("pages", close_page))
    settings = f'[sources.mine]\ncommand = {json.dumps(command)}\n[sources.other]\ncommand = ["npx", "-y", "other@1"]\n'
    repository.write("fusion.toml", settings)
    repository.commit()
    result = repository.run("check", "--local", "--base", "HEAD")
    assert (result.code, result.err) == (0, "mine: starting python serve.py pages.json\n")
    assert fresh(result) == "fresh       1 server unchanged, 1 server not asked (--local)"

    repository.serve("pages", close_page_v2)
    assert fresh(repository.run("check", "--local", "--base", "HEAD")) == (
        "fresh       1 server changed, 1 server not asked (--local)"
    )
    only = repository.run("check", "--local", "--base", "HEAD", "-s", "other")
    assert (only.code, only.err) == (0, "")
    assert fresh(only) == "fresh       not asked (--local: no server is part of this repository)"


def test_local_does_not_pass_over_a_server_that_left_the_settings(repository: Any, close_page: Any) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.write("fusion.toml", '[sources.other]\ncommand = ["npx", "-y", "other@1"]\n')
    repository.commit()
    result = repository.run("check", "--local", "--base", "HEAD")
    assert result.code == 1
    assert "  other  changed: it is in the settings and not in the lock" in result.out
    assert "its source stands in the lock alone, and nothing that only a lock names is started" in result.out


def test_the_commands_that_a_report_names_work_as_they_stand(
    repository: Any, close_page: Any, close_page_v2: Any
) -> None:
    """From the folder of the run: with its folder, its lock, its settings and its world."""
    repository.write("a b/pages.json", json.dumps({"tools": [close_page]}))
    repository.write("a b/own.toml", "[sources]\n")
    where = ("-C", "a b", "--lockfile", "own.lock", "--config", "own.toml")
    assert repository.run("lock", *where, "--name", "pages", "--", *repository.command("pages")).code == 0
    repository.commit("first")
    new = {**close_page_v2, "inputSchema": {**close_page_v2["inputSchema"], "additionalProperties": False}}
    repository.write("a b/pages.json", json.dumps({"tools": [new]}))
    assert repository.run("lock", *where).code == 0

    check = ("check", "--offline", *where, "--base", "main", "--world", "open", "--fail-on", "breaking")
    text = repository.run(*check).out
    markdown = repository.run(*check, "--format", "markdown").out

    options = "-C 'a b' --lockfile own.lock --config own.toml --world open --base main"
    (said,) = [line for line in text.splitlines() if line.startswith("Accept each by its id: ")]
    assert said.split("     ")[0].endswith(f' --reason "..." {options}')
    assert f' --reason "..." {options}`' in markdown
    command = shlex.split(said.removeprefix("Accept each by its id: fusion ").partition("     ")[0])
    assert repository.run(*command).code == 0
    assert "[[waivers]]" in repository.read("a b/own.toml")
