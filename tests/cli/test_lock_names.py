"""NAMEs that can be no folder's, in which a server's releases would be kept: refused where people give them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract

TOLD = "cannot be the name of a folder on every system, and releases are kept in one"


@pytest.mark.parametrize("name", ["a/b", "..", "a\\b", "c:d", " x", "x" * 101, "con", "NUL", "aux.d", "com1"])
def test_a_name_of_the_command_line(project: Any, close_page: Any, name: str) -> None:
    command = project.serve("pages", close_page)
    before = project.files()
    for verb in ("lock", "init"):
        result = project.run(verb, "--name", name, *command)
        assert (result.code, result.out) == (2, "")
        assert result.err == f'fusion: the --name "{name[:100]}" {TOLD}; give another one\nexit 2: could not check\n'
        assert project.files() == before


def test_a_name_of_the_settings_hides_no_other(project: Any, close_page: Any, list_pages: Any) -> None:
    project.catalog("one.json", close_page)
    project.catalog("two.json", list_pages)
    project.write("fusion.toml", '[sources."a/b"]\npath = "one.json"\n\n[sources.two]\npath = "two.json"\n')
    result = project.run("lock")
    assert (result.code, result.out) == (2, "exit 2: wrote fusion.lock: 1 server, 1 tool; 1 server not read\n")
    assert result.err == f"fusion: a/b: this NAME {TOLD}; rename the source in the settings\n"


def test_a_server_that_is_locked_under_such_a_name_stays(project: Any, close_page: Any) -> None:
    project.catalog("one.json", close_page)
    project.write("fusion.toml", '[sources."a/b"]\npath = "one.json"\n')
    project.write("fusion.lock", encode(Lock({"a/b": ServerContract("a/b")})))
    assert project.run("lock").out.splitlines()[-1] == "wrote fusion.lock: 1 server, 1 tool"
    assert project.run("lock", "--check").code == 0


def test_what_a_clients_configuration_calls_its_servers_is_taken(project: Any, close_page: Any) -> None:
    project.serve("pages", close_page)
    command, *arguments = project.command("pages")
    project.write(".mcp.json", json.dumps({"mcpServers": {"a/b": {"command": command, "args": arguments}}}))
    assert project.run("lock", ".mcp.json").out == "wrote fusion.lock: 1 server, 1 tool\n"
    assert project.run("check", "--offline").out.splitlines()[0] == "fusion check: fusion.lock, 1 server"


def test_a_name_that_holds_the_signs_of_a_glob_is_selected_by_itself(project: Any, close_page: Any) -> None:
    project.catalog("one.json", close_page)
    project.write("fusion.toml", '[sources."o[k]"]\npath = "one.json"\n\n[sources.two]\npath = "one.json"\n')
    assert project.run("lock", "-s", "o[k]").out == "wrote fusion.lock: 1 server, 1 tool\n"
    assert project.run("show", "-s", "o[k]").out.splitlines()[0] == "o[k]: 1 tool"
    assert project.run("diff", "-s", "o[k]").out.splitlines()[:2] == ["fusion.lock -> 1 live server", "no changes"]
    assert project.run("release", "1", "-s", "o[k]").out == "o[k]: kept release 1 in .fusion/releases/o[k]/1.lock\n"
