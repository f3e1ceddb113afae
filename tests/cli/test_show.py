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


def test_json_is_a_catalog_that_can_be_read_again(locked: Any, close_page: Any, list_pages: Any) -> None:
    shown = json.loads(locked.run("show", "--format", "json").out)["servers"]
    assert shown["pages"] == {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "from-file", "version": "1.0.0"},
        "capabilities": {"tools": {}},
        "instructions": None,
        "tools": [close_page, list_pages],
        "prompts": [],
        "resources": [],
        "resourceTemplates": [],
    }
    locked.write("pages-again.json", json.dumps(shown["pages"]))
    assert locked.run("diff", "fusion.lock", "pages-again.json", "-s", "pages", "--fail-on", "any").code == 0


def test_a_malformed_tool(project: Any, list_pages: Any) -> None:
    result = project.run("show", project.catalog("odd.json", list_pages, {"name": "x", "inputSchema": 1}))
    assert result.code == 2
    assert result.out.startswith("odd: 1 tool\n")
    assert result.err.splitlines()[-1] == "exit 2: could not read everything"
