"""`fusion show`: what a lock or a source holds."""

from __future__ import annotations

import json
from typing import Any

import pytest


@pytest.fixture
def locked(project: Any, close_page: Any, list_pages: Any) -> Any:
    """A project with two locked servers."""
    project.run("lock", "--name", "pages", *project.serve("pages", close_page, list_pages))
    project.run("lock", project.catalog("saved.json", list_pages))
    return project


def test_the_lock(locked: Any) -> None:
    result = locked.run("show")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "pages 1.0.0: 2 tools\n"
        "  protocol 2025-11-25\n"
        "  source   python serve.py pages.json\n"
        "  cost     52 tokens to the model (estimate)\n"
        "  close_page(when?: 'now'|'later')                                                         29 tokens\n"
        "      Close a page.\n"
        "  list_pages()                                                                             23 tokens\n"
        "      List the pages.\n"
        "\n"
        "saved: 1 tool\n"
        "  source   saved.json\n"
        "  cost     23 tokens to the model (estimate)\n"
        "  list_pages()                                                                             23 tokens\n"
        "      List the pages.\n"
    )


def test_some_servers(locked: Any) -> None:
    assert locked.run("show", "-s", "s*").out.startswith("saved: 1 tool\n")
    result = locked.run("show", "-s", "x")
    assert result.err.splitlines()[0] == "fusion: fusion.lock holds no server that matches x; it holds: pages, saved"


def test_a_source(locked: Any, list_pages: Any) -> None:
    result = locked.run("show", "--name", "it", *locked.serve("other", list_pages))
    assert (result.code, result.err) == (0, "it: starting python serve.py other.json\n")
    assert result.out.startswith("it 1.0.0: 1 tool\n")


def test_json_of_one_server_is_a_catalog_that_can_be_read_again(locked: Any, close_page: Any, list_pages: Any) -> None:
    text = locked.run("show", "-s", "pages", "--format", "json").out
    assert json.loads(text) == {
        "server": {
            "name": "pages",
            "protocolVersion": "2025-11-25",
            "serverInfo": {"name": "from-file", "version": "1.0.0"},
            "capabilities": {"tools": {}},
            "instructions": None,
        },
        "tools": [close_page, list_pages],
        "prompts": [],
        "resources": [],
        "resourceTemplates": [],
    }
    locked.write("again.json", text)
    assert locked.run("diff", "fusion.lock", "again.json", "--fail-on", "any").out.splitlines()[-1] == (
        "exit 0: no findings"
    )
    assert locked.run("show", "again.json", "--format", "json").out == text


def test_json_of_several_servers_can_be_read_again(locked: Any) -> None:
    text = locked.run("show", "--format", "json").out
    assert list(json.loads(text)) == ["catalogs"]
    assert list(json.loads(text)["catalogs"]) == ["pages", "saved"]
    locked.write("again.json", text)
    assert locked.run("show", "again.json", "--format", "json").out == text
    assert locked.run("diff", "fusion.lock", "again.json", "--fail-on", "any").out == (
        "fusion.lock -> again.json\nno changes\nexit 0: no findings\n"
    )
    assert (
        json.loads(locked.run("show", "again.json", "--name", "saved", "--format", "json").out)["server"]
        == (json.loads(text)["catalogs"]["saved"]["server"])
    )


def test_several_servers_are_locked_from_one_file(locked: Any) -> None:
    locked.write("all.json", locked.run("show", "--format", "json").out)
    project = ("--config", "all.toml", "--lockfile", "all.lock")
    first = locked.run("lock", "all.json", *project)
    assert (first.code, first.out) == (0, "wrote all.lock: 2 servers, 3 tools\n")
    for arguments in (("lock", *project), ("lock", "all.json", *project)):
        assert locked.run(*arguments).out == "all.lock is up to date: 2 servers, 3 tools\n"
    assert locked.run("lock", "--check", *project).out == (
        "exit 0: all.lock is intact and equal to its sources: 2 servers, 3 tools\n"
    )


def test_a_malformed_tool(project: Any, list_pages: Any) -> None:
    result = project.run("show", project.catalog("odd.json", list_pages, {"name": "x", "inputSchema": 1}))
    assert result.code == 2
    assert result.out.startswith("odd: 1 tool\n")
    assert result.err.splitlines()[-1] == "exit 2: could not read everything"
