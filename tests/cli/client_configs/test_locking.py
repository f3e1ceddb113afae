"""The servers of a client's configuration in a lock: under which names, found again, two of one name, and some away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import tomli
from client_entries import config, entry, sources
from http_site import closed_port

from tests.cli.conftest import TWICE, Project


@pytest.fixture
def closed_url() -> Iterator[str]:
    """A URL at which nothing listens."""
    with closed_port() as port:
        yield f"http://127.0.0.1:{port}/mcp"


# -- locked, and found again ------------------------------------------------------------------------------------------


def test_every_server_is_locked_under_the_clients_key_and_the_file_vouches_for_it(two: Project) -> None:
    done = two.run("lock", ".mcp.json")
    assert done.out == "wrote fusion.lock: 2 servers, 3 tools\n"
    assert done.err == (
        "desk: starting python serve.py desk.json\n"
        "pages: starting python serve.py pages.json\n"
        f"{TWICE}"
        "added the source to [sources] in fusion.toml\n"
    )
    assert two.read("fusion.toml") == '[sources.mcp]\npath = ".mcp.json"\n'
    assert sources(two) == {name: {"kind": "stdio", "command": list(two.command(name))} for name in ("desk", "pages")}
    assert two.run("lock", "--check").code == 0
    assert two.run("lock").out == "fusion.lock is up to date: 2 servers, 3 tools\n"
    assert two.run("lock", ".mcp.json").out == "fusion.lock is up to date: 2 servers, 3 tools\n"
    assert two.run("diff").code == 0
    assert two.read("fusion.toml") == '[sources.mcp]\npath = ".mcp.json"\n'


def test_a_changed_server_is_stale_and_one_that_left_the_file_is_told(two: Project, list_pages: Any) -> None:
    two.run("lock", ".mcp.json")
    two.serve("pages", list_pages)
    config(two, pages=entry(two, "pages"))
    done = two.run("lock", "--check")
    assert done.code == 1
    assert done.out.splitlines() == [
        (
            "desk: its source stands in the lock alone, and nothing that only a lock names is started; drop it with "
            "fusion lock --prune -s desk, or add to [sources] in fusion.toml: "
            'desk = { command = ["python", "serve.py", "desk.json"] }'
        ),
        (
            "pages: the lock is stale: tool close_page (removed); "
            "fusion diff -s pages shows what changed, fusion lock -s pages accepts it"
        ),
        "exit 1: fusion.lock is stale; 1 server not checked",
    ]
    assert "pruned" not in two.run("lock").err
    assert set(sources(two)) == {"desk", "pages"}
    assert two.run("lock", "--prune").code == 0
    assert set(sources(two)) == {"pages"}


def test_another_command_in_the_file_is_a_change_of_the_source(two: Project) -> None:
    two.run("lock", ".mcp.json")
    config(two, desk=entry(two, "desk"), pages=entry(two, "desk"))
    done = two.run("lock", "--check", "-s", "pages")
    assert done.code == 1
    assert (
        "pages: the lock is stale: the source changed: locked from python serve.py pages.json, settings name "
        in done.out
    )


def test_the_key_of_the_settings_selects_the_whole_file(two: Project, close_page: Any) -> None:
    two.serve("alone", close_page)
    two.run("lock", "--name", "alone", *two.serve("alone", close_page))
    two.run("lock", ".mcp.json")
    assert set(sources(two)) == {"alone", "desk", "pages"}
    done = two.run("lock", "--check", "-s", "mcp")
    assert done.out == "exit 0: fusion.lock is intact and equal to its sources: 2 servers, 3 tools\n"
    assert two.run("diff", "-s", "mcp").out.startswith("fusion.lock -> 2 live servers\n")


def test_a_broken_file_loses_nothing_of_the_lock(two: Project) -> None:
    two.run("lock", ".mcp.json")
    before = two.read("fusion.lock")
    two.write(".mcp.json", '{"mcpServers": {,}}')
    for arguments in (["lock"], ["lock", "--prune"]):
        done = two.run(*arguments)
        assert done.code == 2
        assert "mcp: .mcp.json is no JSON, with comments or without: line 1 Unexpected" in done.err
        assert two.read("fusion.lock") == before


def test_a_file_at_a_revision_starts_nothing(repository: Project) -> None:
    repository.write(".mcp.json", '{"mcpServers": {"a": {"command": "touch", "args": ["started"]}}}')
    repository.commit()
    done = repository.run("show", "git:HEAD:.mcp.json")
    assert done.code == 2
    assert "whose servers are started only from the file in the folder" in done.err
    assert not (repository.folder / "started").exists()


def test_findings_about_servers_of_others_count_whatever_their_level(two: Project, close_page: Any) -> None:
    two.run("lock", ".mcp.json")
    two.serve("desk", close_page, {"name": "list_pages", "description": "List the pages.", "inputSchema": {}})
    two.serve("desk", close_page, json.loads(two.read("pages.json"))["tools"][1])
    done = two.run("diff")
    assert (done.code, done.out.splitlines()[-1]) == (
        1, "exit 1: findings (desk comes from a client configuration)",
    )  # fmt: skip
    assert two.run("diff", "--fail-on", "breaking").code == 0
    two.write("fusion.toml", '[sources.mcp]\npath = ".mcp.json"\n[servers.desk]\nfail-on = "breaking"\n')
    assert two.run("diff").code == 0
    two.write("fusion.toml", 'fail-on = "risky"\n[sources.mcp]\npath = ".mcp.json"\n')
    assert two.run("diff").code == 0


# -- two servers of one NAME -------------------------------------------------------------------------------------------


def test_the_same_server_in_two_files_is_one_and_two_of_one_name_are_a_problem(two: Project) -> None:
    config(two, ".cursor/mcp.json", pages=entry(two, "pages"), desk=entry(two, "pages"))
    assert two.run("lock", ".mcp.json").code == 0
    two.write("fusion.toml", '[sources.claude]\npath = ".mcp.json"\n[sources.cursor]\npath = ".cursor/mcp.json"\n')
    done = two.run("lock", "--check")
    assert done.out == (
        "desk: different servers have this NAME, in claude (.mcp.json) and cursor (.cursor/mcp.json); "
        "rename or disable one of them; neither is read\n"
        "exit 2: could not check: 1 server not checked\n"
    )
    two.write("fusion.toml", f'{two.read("fusion.toml")}[sources.desk]\ncommand = ["x"]\n')
    assert "in claude (.mcp.json) and cursor (.cursor/mcp.json) and the settings;" in two.run("lock", "--check").out


def test_a_second_file_gets_a_key_of_its_own(two: Project) -> None:
    config(two, ".cursor/mcp.json", pages=entry(two, "pages"))
    config(two, "sub/.mcp.json", desk=entry(two, "desk"))
    for file in (".mcp.json", ".cursor/mcp.json", "sub/.mcp.json"):
        assert two.run("lock", file).code == 0
    assert {key: one["path"] for key, one in tomli.loads(two.read("fusion.toml"))["sources"].items()} == {
        "mcp": ".mcp.json",
        "cursor": ".cursor/mcp.json",
        "mcp-2": "sub/.mcp.json",
    }


def test_a_server_that_the_settings_name_otherwise_is_not_replaced(two: Project, close_page: Any) -> None:
    two.run("lock", "--name", "desk", *two.serve("other", close_page))
    before = two.files()
    done = two.run("lock", ".mcp.json")
    assert done.code == 2
    assert "fusion.toml names another source for desk" in done.err
    assert two.files() == before


# -- what may be away --------------------------------------------------------------------------------------------------


def test_what_may_be_away_keeps_its_entry_and_has_no_effect(two: Project, close_page: Any, closed_url: str) -> None:
    two.run("lock", ".mcp.json")
    config(two, pages=entry(two, "pages"), desk=entry(two, "gone"), new={"url": closed_url})
    assert two.run("lock", "--check", "--timeout", "20").code == 1
    two.serve("pages", close_page)
    done = two.run("lock", "--allow-unreachable", "desk", "--allow-unreachable", "n?w")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "wrote fusion.lock: 2 servers, 2 tools"
    assert "(--allow-unreachable: no effect on the exit code)\n" in done.err
    assert set(sources(two)) == {"desk", "pages"}
    two.write("fusion.toml", f'allow-unreachable = ["desk", "new"]\n{two.read("fusion.toml")}')
    done = two.run("lock", "--check")
    assert done.code == 0
    assert done.out == "exit 0: fusion.lock is intact and equal to its sources: 1 server, 1 tool\n"
    assert two.run("diff").code == 0
    assert two.run("diff", "fusion.lock", ".mcp.json").code == 0


def test_one_that_may_be_away_and_answers_is_treated_as_any_other(two: Project) -> None:
    config(two, pages=entry(two, "pages"))
    two.run("lock", ".mcp.json")
    config(two, pages=entry(two, "pages"), desk=entry(two, "desk"))
    done = two.run("lock", "--check", "--allow-unreachable", "*")
    assert (done.code, done.out.splitlines()[0]) == (
        1,
        (
            "desk: the lock is stale: it is not in the lock; "
            "fusion diff -s desk shows what changed, fusion lock -s desk accepts it"
        ),
    )


def test_nothing_at_all_that_can_be_read_writes_nothing(two: Project) -> None:
    config(two, pages=entry(two, "gone"))
    done = two.run("lock", ".mcp.json", "--allow-unreachable", "*")
    assert (done.code, done.out) == (
        0,
        "exit 0: fusion.lock was not written: no server could be read, which is allowed\n",
    )
    assert not (two.folder / "fusion.lock").exists()
