"""`fusion lock` of several servers: what one of them does wrong, and servers that leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.lockfile.disk import read_lock
from tests.cli.conftest import TWICE


def two(project: Any, first: Any, second: Any) -> None:
    project.run("lock", "--name", "one", *project.serve("one", first))
    project.run("lock", "--name", "two", *project.serve("two", second))


def test_a_dead_server_hides_no_other(project: Any, close_page: Any, list_pages: Any) -> None:
    two(project, close_page, close_page)
    project.write("one.json", "no JSON: the server dies")
    project.serve("two", close_page, list_pages)

    result = project.run("lock")

    assert result.code == 2
    assert result.out == (
        "This accepts, for fusion.lock:\n"
        "SAFE  two: 1 safe\n"
        "  1 tool added\n"
        "Cost to the model: 29 -> 52 tokens (+79 %, estimate)\n"
        "exit 2: wrote fusion.lock: 2 servers, 3 tools; 1 server not read\n"
    )
    assert "fusion: one: stopped before it answered initialize (exit status 1), twice." in result.err
    servers = read_lock(project.folder / "fusion.lock").servers
    assert [list(server.tools) for server in servers.values()] == [["close_page"], ["close_page", "list_pages"]]


def test_only_the_chosen_servers_are_read_and_the_others_keep_every_byte(
    project: Any, close_page: Any, list_pages: Any
) -> None:
    two(project, close_page, close_page)
    text = project.read("fusion.lock").replace("[servers.one]", "# a note of mine\n[servers.one]")
    project.write("fusion.lock", text)
    project.serve("one", list_pages)
    project.serve("two", close_page, list_pages)

    result = project.run("lock", "-s", "tw*")

    assert result.code == 0
    assert result.err == f"two: starting python serve.py two.json\n{TWICE}"
    ours = text[: text.index("[servers.two]")]
    assert project.read("fusion.lock").startswith(ours)
    assert list(read_lock(project.folder / "fusion.lock").servers["two"].tools) == ["close_page", "list_pages"]


def test_a_server_of_no_source_is_kept(project: Any, close_page: Any, list_pages: Any) -> None:
    two(project, close_page, close_page)
    project.write("fusion.toml", project.read("fusion.toml").partition("[sources.two]")[0])
    before = project.read("fusion.lock")

    result = project.run("lock")

    assert (result.code, result.out) == (0, "fusion.lock is up to date: 2 servers, 2 tools\n")
    assert (
        "note: two is kept as it is in fusion.lock: no source of that name is configured; "
        "fusion lock --prune -s two drops it\n"
    ) in result.err
    assert project.read("fusion.lock") == before


def test_no_server_of_that_name(project: Any, close_page: Any) -> None:
    two(project, close_page, close_page)
    result = project.run("lock", "-s", "three")
    assert result.err.splitlines()[0] == "fusion: no configured source matches three; there are: one, two"


def test_a_malformed_tool_keeps_its_old_entry(project: Any, close_page: Any, list_pages: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    project.serve("pages", {**close_page, "inputSchema": []}, list_pages, {"description": "nameless"})

    result = project.run("lock")

    assert result.code == 2
    assert result.out.splitlines()[-1] == "exit 2: wrote fusion.lock: 1 server, 2 tools; 2 tools refused"
    assert result.err.endswith(
        "\nfusion: pages: tool close_page is refused: its input schema is a list, neither a JSON object nor null; "
        "correct it in the server; its old entry stays in the lock and the rest is read\n"
        "fusion: pages: tool 3 of 3 is refused: it has no name; "
        "correct it in the server; its old entry stays in the lock and the rest is read\n"
    )
    tools = read_lock(project.folder / "fusion.lock").servers["pages"].tools
    assert tools["close_page"].input_schema == close_page["inputSchema"]
    assert "list_pages" in tools


def test_a_tool_that_no_lock_can_hold_is_left_out(project: Any, close_page: Any) -> None:
    deep: dict[str, Any] = {"name": "deep", "inputSchema": {}}
    inner = deep["inputSchema"]
    for _ in range(70):
        inner["not"] = {}
        inner = inner["not"]

    result = project.run("lock", "--name", "pages", *project.serve("pages", close_page, deep))

    assert result.code == 2
    assert result.out == "exit 2: wrote fusion.lock: 1 server, 1 tool; 1 tool refused\n"
    assert "fusion: pages: tool deep cannot be locked: /inputSchema/not/" in result.err
    assert (
        "is nested deeper than 64 levels; its old entry stays in the lock, if it has one; the rest is locked"
        in result.err
    )


def test_text_that_differs_by_itself_is_named(project: Any, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = root / "fixtures" / "servers" / "changing.py"

    result = project.run("lock", "--name", "odd", "--", *project.command("x")[:1], str(script))

    assert result.code == 0
    differs = "differs between two listings; if it is no part of the contract, add to fusion.toml:"
    tool, instructions = (
        '[[volatile]]\nserver = "odd"\n'
        f'tool = "{tool}"\npointer = "{pointer}"\npattern = "(?<=Runs as process )[0-9]+"\n'
        'reason = "differs from one listing to the next"\n'
        for tool, pointer in (("greet", "/description"), ("", "/instructions"))
    )
    assert (
        f"note: odd: tool greet /description {differs}\n{tool}note: odd: /instructions {differs}\n{instructions}"
    ) in result.err

    project.write("fusion.toml", f"{project.read('fusion.toml')}\n{tool}{instructions}")
    again = project.run("lock")
    assert again.code == 0
    assert "differs" not in again.err
    assert "Runs as process {volatile}." in project.read("fusion.lock")


def unnamed(project: Any, close_page: Any) -> str:
    """Two locked servers, one of which the settings no longer name; the text of the lock."""
    two(project, close_page, close_page)
    project.write("fusion.toml", project.read("fusion.toml").partition("[sources.two]")[0])
    return str(project.read("fusion.lock"))


def test_prune_drops_what_the_settings_do_not_name(project: Any, close_page: Any) -> None:
    before = unnamed(project, close_page)
    result = project.run("lock", "--prune")
    assert result.code == 0
    assert result.out == (
        "This accepts, for fusion.lock:\n"
        "BREAKING  two: 1 breaking\n"
        "  server                         server removed                                              df98808\n"
        "Cost to the model: 29 -> 0 tokens (-100 %, estimate)\n"
        "wrote fusion.lock: 1 server, 1 tool\n"
    )
    assert "two" not in result.err
    assert project.read("fusion.lock") == before.partition("[servers.two]")[0].rstrip("\n") + "\n"
    assert project.run("lock", "--check").code == 0
    assert project.run("lock", "--prune").out == "fusion.lock is up to date: 1 server, 1 tool\n"


def test_prune_of_one_server_reads_no_other(project: Any, close_page: Any) -> None:
    unnamed(project, close_page)
    project.write("one.json", "no JSON: the server dies")
    result = project.run("lock", "--prune", "-s", "two")
    assert (result.code, result.err) == (0, "")
    assert list(read_lock(project.folder / "fusion.lock").servers) == ["one"]


def test_prune_of_the_last_server(project: Any, close_page: Any) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    project.write("fusion.toml", "")
    assert project.run("lock", "--prune").out.splitlines()[-1] == "wrote fusion.lock: 0 servers, 0 tools"
    assert read_lock(project.folder / "fusion.lock").servers == {}


def test_prune_in_ci(project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = unnamed(project, close_page)
    monkeypatch.setenv("CI", "true")
    assert project.run("lock", "--prune").code == 1
    assert project.read("fusion.lock") == before


def test_when_no_source_can_be_read_nothing_is_written(project: Any, close_page: Any) -> None:
    two(project, close_page, close_page)
    for name in ("one", "two"):
        project.write(f"{name}.json", "no JSON")
    before = project.files()

    result = project.run("lock")

    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[-2:] == [
        "fusion: no source could be read; see above; nothing was written",
        "exit 2: could not check",
    ]
    assert project.files() == before
