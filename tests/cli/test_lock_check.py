"""`fusion lock --check` only reads: is the lock intact, and equal to its sources?"""

from __future__ import annotations

import json
from typing import Any

import pytest


@pytest.fixture
def locked(project: Any, close_page: Any, list_pages: Any) -> Any:
    """A project with one locked server of two tools."""
    project.run("lock", "--name", "pages", *project.serve("pages", close_page, list_pages))
    return project


def check(project: Any, *arguments: str) -> Any:
    """Run the check, and see that it wrote nothing."""
    before = project.files()
    result = project.run("lock", "--check", *arguments)
    assert project.files() == before
    return result


def test_intact_and_equal(locked: Any) -> None:
    result = check(locked)
    assert result.code == 0
    assert result.out == "exit 0: fusion.lock is intact and equal to its sources: 1 server, 2 tools\n"
    assert result.err == "pages: starting python serve.py pages.json\n"


def test_stale(locked: Any, close_page_v2: Any) -> None:
    locked.serve("pages", close_page_v2, {"name": "new", "inputSchema": {}})
    result = check(locked)
    assert result.code == 1
    assert result.out == (
        "pages: the lock is stale: tool close_page (interface), tool list_pages (removed), tool new (added); "
        "fusion diff -s pages shows what changed, fusion lock -s pages accepts it\n"
        "exit 1: fusion.lock is stale\n"
    )


def test_a_new_version_alone_is_a_note(locked: Any, close_page: Any, list_pages: Any) -> None:
    locked.serve("pages", close_page, list_pages, version="1.0.1")
    result = check(locked)
    assert result.code == 0
    assert result.err.splitlines()[-1] == "note: pages: version 1.0.0 -> 1.0.1, and nothing else changed"


def test_edited_by_hand(locked: Any) -> None:
    locked.write("fusion.lock", locked.read("fusion.lock").replace("Close a page.", "Close a tab."))
    result = check(locked)
    assert result.code == 1
    assert result.out == (
        "pages: tool close_page was edited by hand or merged badly: its prose digest does not match; "
        "run `fusion lock`\n"
        "pages: the lock is stale: tool close_page (prose); "
        "fusion diff -s pages shows what changed, fusion lock -s pages accepts it\n"
        "exit 1: fusion.lock was edited by hand or merged badly; fusion.lock is stale\n"
    )


def test_no_answer(locked: Any) -> None:
    locked.write("pages.json", "no JSON: the server dies")
    result = check(locked)
    assert result.code == 2
    assert result.out.startswith("pages: stopped before it answered initialize (exit status 1), twice")
    assert result.out.splitlines()[-1] == "exit 2: could not check: 1 server not checked"


def test_a_finding_counts_more_than_a_server_that_does_not_answer(locked: Any, close_page: Any) -> None:
    locked.run("lock", "--name", "other", *locked.serve("other", close_page))
    locked.write("other.json", "no JSON: the server dies")
    locked.serve("pages", close_page)
    result = check(locked)
    assert result.code == 1
    assert result.out.splitlines()[-1] == "exit 1: fusion.lock is stale; 1 server not checked"


def test_a_malformed_tool_is_not_checked(locked: Any, close_page: Any) -> None:
    locked.serve("pages", close_page, {"name": "list_pages", "inputSchema": []})
    result = check(locked)
    assert result.code == 2
    assert result.out == (
        "pages: tool list_pages is refused: its input schema is a list, neither a JSON object nor null; "
        "correct it in the server; its old entry stays in the lock and the rest is read\n"
        "exit 2: could not check: 1 server not checked\n"
    )


def test_a_source_that_only_the_lock_names_is_not_started(locked: Any) -> None:
    settings = locked.read("fusion.toml")
    locked.write("fusion.toml", "")

    result = check(locked)

    assert (result.code, result.err) == (2, "")
    entry = 'pages = { command = ["python", "serve.py", "pages.json"] }'
    assert result.out == (
        "pages: its source stands in the lock alone, and nothing that only a lock names is started; "
        f"drop it with fusion lock --prune -s pages, or add to [sources] in fusion.toml: {entry}\n"
        "exit 2: could not check: 1 server not checked\n"
    )
    line = entry.replace("python", locked.command("pages")[0]).replace("serve.py", str(locked.script))
    locked.write("fusion.toml", f"[sources]\n{line}\n")
    assert check(locked).code == 0
    assert settings != locked.read("fusion.toml")


def test_a_command_that_was_changed_in_the_lock_is_not_started(locked: Any) -> None:
    locked.write("fusion.lock", locked.read("fusion.lock").replace('"pages.json"', '"evil.json"'))
    result = check(locked)
    assert (result.code, result.err) == (1, "pages: starting python serve.py pages.json\n")
    assert result.out == (
        "pages: the lock is stale: the source changed: locked from python serve.py evil.json, "
        "settings name python serve.py pages.json; "
        "fusion diff -s pages shows what changed, fusion lock -s pages accepts it\n"
        "exit 1: fusion.lock is stale\n"
    )


def upgraded(locked: Any, *tools: Any) -> None:
    """Serve another release, and name it in the settings."""
    locked.serve("pages2", *tools, version="2.0.0")
    locked.write("fusion.toml", locked.read("fusion.toml").replace('"pages.json"', '"pages2.json"'))


MOVED = "the source changed: locked from python serve.py pages.json, settings name python serve.py pages2.json"


def test_a_command_that_was_changed_in_the_settings(locked: Any, close_page_v2: Any, list_pages: Any) -> None:
    upgraded(locked, close_page_v2, list_pages)
    result = check(locked)
    assert (result.code, result.err) == (1, "pages: starting python serve.py pages2.json\n")
    assert result.out == (
        f"pages: the lock is stale: {MOVED}; tool close_page (interface); "
        "fusion diff -s pages shows what changed, fusion lock -s pages accepts it\n"
        "exit 1: fusion.lock is stale\n"
    )
    compared = locked.run("diff", "-s", "pages")
    assert compared.code == 1
    assert compared.err == f"pages: starting python serve.py pages2.json\nnote: pages: {MOVED}\n"
    assert compared.out.splitlines()[:2] == [
        "fusion.lock -> 1 live server",
        "BREAKING  pages 1.0.0 -> 2.0.0: 1 breaking, 1 safe",
    ]
    assert locked.run("lock", "-s", "pages").code == 0
    assert check(locked).code == 0


def test_a_changed_command_that_does_not_start(locked: Any, close_page: Any) -> None:
    upgraded(locked, close_page)
    locked.write("pages2.json", "no JSON: the server dies")
    result = check(locked)
    assert result.code == 1
    assert result.out.startswith("pages: stopped before it answered initialize (exit status 1), twice")
    assert result.out.splitlines()[1:] == [
        f"pages: the lock is stale: {MOVED}; run fusion lock -s pages",
        "exit 1: fusion.lock is stale; 1 server not checked",
    ]
    compared = locked.run("diff", "--format", "json")
    assert compared.code == 2
    assert len(json.loads(compared.out)["errors"]) == 1


def test_a_source_that_was_never_locked(locked: Any) -> None:
    locked.write("fusion.toml", locked.read("fusion.toml") + '\n[sources.later]\ncommand = ["true"]\n')
    result = check(locked)
    assert result.code == 1
    assert result.out.splitlines()[0] == (
        "later: the lock is stale: it is in the settings and not in the lock; run fusion lock -s later"
    )


def test_settings_that_name_nothing_readable_hide_no_server(locked: Any, close_page: Any) -> None:
    locked.run("lock", locked.catalog("saved.json", close_page))
    (locked.folder / "saved.json").unlink()
    result = check(locked)
    assert result.code == 2
    assert result.out.splitlines()[0] == (
        "saved: saved.json does not exist; check the path; a server's command goes after --"
    )
    assert result.err == "pages: starting python serve.py pages.json\n"


def test_a_command_on_the_command_line_vouches_for_itself(locked: Any, close_page: Any) -> None:
    locked.write("fusion.toml", "")
    assert check(locked, "--", *locked.command("pages")).code == 0
    locked.serve("pages", close_page)
    assert check(locked, "--", *locked.command("pages")).code == 1


def test_only_the_chosen_servers_are_asked(locked: Any, close_page: Any) -> None:
    locked.run("lock", "--name", "other", *locked.serve("other", close_page))
    locked.write("pages.json", "no JSON: the server dies")
    result = check(locked, "-s", "other")
    assert result.out == "exit 0: fusion.lock is intact and equal to its sources: 1 server, 1 tool\n"
    assert result.err == "other: starting python serve.py other.json\n"


def test_no_lock(project: Any) -> None:
    result = check(project)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "fusion: no lock at fusion.lock; run `fusion lock SOURCE` to write one\nexit 2: could not check\n"
    )


def test_a_catalog_is_a_source_too(project: Any, close_page: Any, close_page_v2: Any) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    assert check(project).code == 0
    project.catalog("pages.json", close_page_v2)
    assert check(project).code == 1


def test_the_word_of_a_lock_alone_shows_no_secret(locked: Any) -> None:
    text = locked.read("fusion.lock").replace('"pages.json"', '"--password=hunter2hunter2"')
    locked.write("fusion.lock", text)
    result = check(locked)
    assert "hunter2" not in result.out + result.err


def test_prune_is_no_check(locked: Any) -> None:
    result = check(locked, "--prune")
    assert result.err == (
        "fusion: --prune changes the lock, and --check only reads; give one of the two\nexit 2: could not check\n"
    )
