"""What is told of a client's configuration: what is unpinned, what starts, what differs, and what init makes of one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from client_entries import config, entry

from tests.cli.conftest import TWICE, Project


def test_unpinned_packages_are_noted_once_in_one_line(two: Project) -> None:
    fake = two.write("bin/npx", f"#!/bin/sh\nexec {sys.executable} {two.script} pages.json\n")
    fake.chmod(0o755)
    other = two.write("bin/uvx", f"#!/bin/sh\nexec {sys.executable} {two.script} pages.json\n")
    other.chmod(0o755)
    config(
        two,
        a={"command": str(fake), "args": ["-y", "@acme/pages@latest"]},
        b={"command": str(fake), "args": ["-y", "@acme/pages@latest"]},
        c={"command": str(fake), "args": ["-y", "@acme/pages@1.4.0"]},
        d={"command": str(other), "args": ["desk-mcp"]},
    )
    done = two.run("lock", ".mcp.json")
    (told,) = [line for line in done.err.splitlines() if "unpinned" in line]
    assert told == (
        "note: unpinned, so that any run may get another version: @acme/pages@latest, desk-mcp; "
        "pin by writing @acme/pages@VERSION, desk-mcp==VERSION"
    )


def test_names_of_a_hostile_file_are_fit_for_a_terminal(project: Project) -> None:
    hostile = {
        "\x1b[31mred": {"command": "no-such-program"},
        "new\nline": {"command": "no-such-program"},
        "": {"command": "x"},
        "odd": 3,
        "both": {"command": "x", "url": "http://x"},
    }
    project.write(".mcp.json", json.dumps({"mcpServers": hostile}))
    done = project.run("lock", ".mcp.json")
    assert done.code == 2
    assert "\x1b" not in done.out + done.err
    assert len([line for line in done.err.splitlines() if line.startswith("fusion: ")]) == 6
    assert not Path(project.folder / "fusion.lock").exists()


def test_show_tells_of_each_server_and_of_what_is_wrong(two: Project) -> None:
    config(two, pages=entry(two, "pages"), gone={"command": "no-such-program"})
    done = two.run("show", ".mcp.json")
    assert done.code == 2
    assert done.out.startswith("pages 1.0.0: 2 tools\n")
    assert done.err.splitlines()[-2:] == [
        "fusion: gone: the command no-such-program is not on PATH; install it, or correct the command",
        "exit 2: could not read everything",
    ]


def test_two_files_are_compared_server_by_server(two: Project, close_page_v2: Any, list_pages: Any) -> None:
    two.serve("newer", close_page_v2, list_pages)
    config(two, "new.json", pages=entry(two, "newer"), desk=entry(two, "desk"), gone={"command": "no-such-program"})
    done = two.run("diff", ".mcp.json", "new.json")
    assert done.out.splitlines()[0] == ".mcp.json -> new.json"
    assert "BREAKING  pages: 1 breaking" in done.out
    assert "gone" in done.out
    assert done.code == 1


def test_init_speaks_of_a_configuration_that_is_here_and_starts_nothing(project: Project) -> None:
    config(project, touch={"command": "touch", "args": ["started"]})
    done = project.run("init")
    assert (
        "no lock yet: name what to lock: fusion lock -- COMMAND, or .mcp.json, which is here: fusion lock .mcp.json\n"
        in done.out
    )
    assert not (project.folder / "started").exists()


def test_init_takes_a_configuration_once(two: Project, close_page: Any) -> None:
    assert two.run("init", ".mcp.json").code == 0
    before = two.read("fusion.lock")
    two.serve("pages", close_page)
    assert "fusion.lock is there already; left as it is\n" in two.run("init", ".mcp.json").out
    assert two.read("fusion.lock") == before


def test_each_source_is_told_once_before_anything_starts(two: Project) -> None:
    two.write("tools.py", 'TOOLS = [{"name": "a", "inputSchema": {"type": "object"}}]\n')
    two.write("fusion.toml", 'jobs = 2\n[sources.z]\nobject = "tools.py:TOOLS"\n[sources.mcp]\npath = ".mcp.json"\n')
    assert two.run("lock").err == (
        "z: importing tools.py:TOOLS\n"
        "desk: starting python serve.py desk.json\n"
        "pages: starting python serve.py pages.json\n"
        f"{TWICE}"
    )
