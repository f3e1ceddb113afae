"""`fusion release`: what is kept, and what is not."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from releasing import PAGES, REFUSED, relock

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.runtime.releases import read_releases


def names(project: Any) -> list[str]:
    return [release.name for release in read_releases(project.folder / PAGES, "pages", last=100)]


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_a_release_is_the_lock_under_a_name(locked: Any) -> None:
    result = locked.run("release", "1.0.0")
    assert (result.code, result.out, result.err) == (0, f"pages: kept release 1.0.0 in {PAGES}/1.0.0.lock\n", "")
    assert locked.read(f"{PAGES}/1.0.0.lock") == "# release 1.0.0, sequence 1\n" + locked.read("fusion.lock")


def test_the_next_release_has_the_next_number(locked: Any, close_page_v2: Any) -> None:
    locked.run("release", "1.10")
    relock(locked, close_page_v2)
    assert locked.run("release", "1.9").code == 0
    assert locked.read(f"{PAGES}/1.9.lock").startswith("# release 1.9, sequence 2\n")
    assert names(locked) == ["1.10", "1.9"]


def test_nothing_is_written_where_nothing_changed(locked: Any, close_page: Any, list_pages: Any) -> None:
    locked.run("release", "1.0.0")
    relock(locked, close_page, list_pages, version="1.0.1")  # a version alone is no other surface
    before = locked.files()
    result = locked.run("release", "1.0.1")
    assert (result.code, result.out, result.err) == (0, "pages: as in release 1.0.0; nothing to keep\n", "")
    assert locked.files() == before


def test_a_contract_that_is_there_again_is_a_release_again(locked: Any, close_page: Any, close_page_v2: Any) -> None:
    relock(locked, close_page)
    locked.run("release", "1")
    relock(locked, close_page_v2)
    locked.run("release", "2")
    relock(locked, close_page)
    assert locked.run("release", "1").out == "pages: as in release 1; nothing to keep\n"
    assert locked.run("release", "3").code == 0
    assert names(locked) == ["1", "2", "3"]


def test_a_name_is_never_used_for_two_contracts(locked: Any, close_page_v2: Any) -> None:
    locked.run("release", "1.0.0-rc1")
    relock(locked, close_page_v2)
    before = locked.files()
    for name in ("1.0.0-rc1", "1.0.0-RC1"):  # one file, on some systems
        result = locked.run("release", name)
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            "fusion: pages: release 1.0.0-rc1 is kept already, with another contract; give this one a name of its own, "
            f"or remove {PAGES}/1.0.0-rc1.lock if no agent ever saw that one{REFUSED}"
        )
        assert locked.files() == before


def test_a_name_that_is_taken_is_refused_where_the_last_release_is_the_same(locked: Any, close_page_v2: Any) -> None:
    locked.run("release", "1.0.0")
    relock(locked, close_page_v2)
    locked.run("release", "1.1.0")
    before = locked.files()
    result = locked.run("release", "1.0.0")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "fusion: pages: release 1.0.0 is kept already, with another contract; give this one a name of its own, "
        f"or remove {PAGES}/1.0.0.lock if no agent ever saw that one{REFUSED}"
    )
    assert locked.run("release", "1.1.0").out == "pages: as in release 1.1.0; nothing to keep\n"
    assert locked.run("release", "1.2.0").out == "pages: as in release 1.1.0; nothing to keep\n"
    assert locked.files() == before


def test_several_servers_are_kept_together_or_not_at_all(locked: Any, close_page_v2: Any, list_pages: Any) -> None:
    locked.run("release", "1")
    locked.run("lock", locked.catalog("saved.json", list_pages))
    result = locked.run("release", "2", "-s", "saved")
    assert result.out == "saved: kept release 2 in .fusion/releases/saved/2.lock\n"
    relock(locked, close_page_v2)
    locked.run("lock", locked.catalog("saved.json", close_page_v2))
    before = locked.files()
    assert locked.run("release", "2").code == 2
    assert locked.files() == before
    result = locked.run("release", "3", "-s", "s*", "-s", "pages")
    assert result.out == (
        f"pages: kept release 3 in {PAGES}/3.lock\nsaved: kept release 3 in .fusion/releases/saved/3.lock\n"
    )
    assert locked.run("release", "3", "-s", "x").err.splitlines()[0] == (
        "fusion: fusion.lock holds no server that matches x; it holds: pages, saved"
    )


def test_only_the_newest_stay(locked: Any, close_page: Any) -> None:
    for number in range(1, 5):
        relock(locked, {**close_page, "description": f"{number}"})
        locked.run("release", f"{number}")
    assert locked.run("release", "5", "--keep", "3").out == (
        "pages: as in release 4; nothing to keep\npages: removed 1\n"
    )
    relock(locked, close_page)
    assert locked.run("release", "5", "--keep", "1").out == (
        f"pages: kept release 5 in {PAGES}/5.lock\npages: removed 2, 3, 4\n"
    )
    assert names(locked) == ["5"]
    assert locked.read(f"{PAGES}/5.lock").startswith("# release 5, sequence 5\n")


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", ""])
def test_how_many_stay_is_a_number(locked: Any, number: str) -> None:
    result = locked.run("release", "1", f"--keep={number}")
    assert result.code == 2
    assert result.err.splitlines()[-2] == f"Error: Invalid value for '--keep': '{number}' is no number from 1 on."


def test_for_machines(locked: Any) -> None:
    shown = {"server": "pages", "name": "1", "sequence": 1, "path": f"{PAGES}/1.lock", "new": True, "removed": []}
    assert json.loads(locked.run("release", "1", "--format", "json").out) == {"releases": [shown], "package": None}
    again = json.loads(locked.run("release", "2", "--format", "json").out)
    assert again == {"releases": [{**shown, "new": False}], "package": None}


def test_in_another_folder_with_another_lock(locked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (locked.folder / "fusion.lock").rename(locked.folder / "other.lock")
    monkeypatch.chdir(locked.folder.parent)
    result = locked.run("release", "1", "-C", "project", "--lockfile", "other.lock")
    assert result.out == f"pages: kept release 1 in {PAGES}/1.lock\n"
    assert names(locked) == ["1"]


def test_a_release_is_a_source(locked: Any, close_page_v2: Any, list_pages: Any) -> None:
    locked.run("release", "1.0.0")
    assert locked.run("diff", "release:1.0.0", "fusion.lock", "--fail-on", "any").code == 0
    relock(locked, close_page_v2, list_pages)
    for source in ("release:1.0.0", "release:pages/1.0.0", f"{PAGES}/1.0.0.lock"):
        result = locked.run("diff", source, "fusion.lock")
        assert (result.code, result.out.splitlines()[0]) == (1, f"{source} -> fusion.lock")
        assert "when no longer accepts 'later'" in result.out


def test_a_release_is_compared_with_its_own_servers_alone(
    locked: Any, close_page: Any, close_page_v2: Any, list_pages: Any
) -> None:
    locked.run("lock", locked.catalog("saved.json", list_pages))
    locked.run("release", "1")
    locked.run("lock", locked.catalog("other.json", list_pages))
    relock(locked, close_page, list_pages, {**list_pages, "name": "added"})
    locked.run("lock", locked.catalog("saved.json", list_pages, {**list_pages, "name": "late"}))

    def tools(*sides: str) -> tuple[int, list[tuple[str, str, str]]]:
        result = locked.run("diff", *sides, "--format", "json", "--fail-on", "any")
        found = json.loads(result.out)["findings"]
        return result.code, [(one["rule"], one["server"], one["tool"]) for one in found]

    pages, saved = ("tool-added", "pages", "added"), ("tool-added", "saved", "late")
    assert tools("release:pages/1", "fusion.lock") == (1, [pages])
    assert tools("release:1", "fusion.lock") == (1, [pages, saved])
    assert tools("release:1", "fusion.lock", "-s", "saved") == (1, [saved])
    assert tools("fusion.lock", "release:pages/1") == (1, [("tool-removed", "pages", "added")])
    relock(locked, close_page_v2)
    assert locked.run("diff", "release:pages/1", "fusion.lock").out.splitlines()[-3:] == [
        'Accept each by its id: fusion waive 32df0fa --reason "..." release:pages/1 fusion.lock',
        "Why: fusion explain enum-value-removed",
        "exit 1: breaking findings",
    ]
    result = locked.run("diff", "release:pages/1", "fusion.lock", "-s", "other")
    assert result.code == 2
    assert result.err == f"fusion: release:pages/1 holds no server that matches other; check -s{REFUSED}"


def test_a_released_server_that_is_in_no_lock_any_more(locked: Any, list_pages: Any) -> None:
    locked.run("release", "1")
    locked.run("lock", locked.catalog("a.json", list_pages))
    locked.run("lock", locked.catalog("b.json", list_pages))
    locked.write("fusion.toml", locked.read("fusion.toml").partition("[sources.pages]")[0])
    locked.run("lock", "--prune", locked.catalog("b.json", list_pages))
    result = locked.run("diff", "release:pages/1", "fusion.lock")
    assert (result.code, result.out.splitlines()[1]) == (1, "BREAKING  pages: 1 breaking")


# --- what is not kept ------------------------------------------------------------------------------------------------


def test_no_lock_and_an_empty_one(project: Any) -> None:
    assert project.run("release", "1").err == (
        f"fusion: no lock at fusion.lock; run `fusion lock SOURCE` to write one{REFUSED}"
    )
    project.write("fusion.lock", "lock_version = 1\n")
    assert project.run("release", "1").err == (
        f"fusion: fusion.lock holds no server; lock one first: fusion lock SOURCE{REFUSED}"
    )


def test_an_edited_lock_is_no_release(locked: Any) -> None:
    text = locked.read("fusion.lock").replace("Close a page.", "Close it.")
    locked.write("fusion.lock", text)
    before = locked.files()
    result = locked.run("release", "1")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "pages: tool close_page was edited by hand or merged badly: its prose digest does not match; run `fusion lock`"
        "\nexit 1: fusion.lock was edited by hand or merged badly; nothing was kept\n"
    )
    assert locked.files() == before


@pytest.mark.parametrize(
    "name",
    ["..", "../x", "a/b", "a\\b", ".hidden", "1.", "", "a b", "a\nb", "C:x", "v1\u202e", "x" * 101, "Nul", "aux.1"],
)
def test_a_name_is_a_file_name(locked: Any, name: str) -> None:
    before = locked.files()
    result = locked.run("release", name)
    assert (result.code, result.out) == (2, "")
    assert locked.files() == before
    assert result.err.endswith(
        " is no name for a release; take letters and digits, with . _ + - @ between them, at most 100, and "
        "no device of Windows" + REFUSED
    )


@pytest.mark.parametrize("server", ["../../x", "a/b", "..", "", " x", "a\u202e", "c:d", "con"])
def test_a_server_that_a_lock_names_does_not_lead_elsewhere(project: Any, server: str) -> None:
    project.write("fusion.lock", encode(Lock({server: ServerContract(server)})))
    before = project.files()
    for command in (["release", "1"], ["awareness"]):
        result = project.run(*command)
        assert (result.code, result.out) == (2, "")
        assert result.err.endswith(
            '" cannot be the name of a folder on every system; rename it where it is named, in the settings or the '
            "client's configuration, and lock it again" + REFUSED
        )
    assert project.files() == before
    assert list(project.folder.parent.iterdir()) == [project.folder]


def test_a_name_of_a_clients_configuration_hides_no_other_server(locked: Any, list_pages: Any) -> None:
    command, *arguments = locked.command("pages")
    servers = {"io.github/pages": {"command": command, "args": arguments}}
    locked.write(".mcp.json", json.dumps({"mcpServers": servers}))
    assert locked.run("lock", ".mcp.json").code == 0
    left_out = (
        'fusion: the server\'s name "io.github/pages" cannot be the name of a folder on every system; rename it where '
        "it is named, in the settings or the client's configuration, and lock it again\n"
    )
    result = locked.run("release", "1")
    assert (result.code, result.out) == (2, f"pages: kept release 1 in {PAGES}/1.lock\n")
    assert result.err == f"{left_out}exit 2: 1 server not kept\n"
    result = locked.run("release", "1", "-s", "pages")
    assert (result.code, result.out, result.err) == (0, "pages: as in release 1; nothing to keep\n", "")
    result = locked.run("release", "1", "-s", "io*")
    assert (result.code, result.out, result.err) == (2, "", f"{left_out.rstrip()}{REFUSED}")
    result = locked.run("awareness", "--since", "1")
    assert (result.code, result.err) == (0, "note: no release is kept in .fusion/releases/io.github/pages\n")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_does_not_lead_elsewhere(locked: Any) -> None:
    elsewhere = locked.write("../elsewhere/poetry.lock", "").parent
    locked.write(".fusion/releases/note", "")
    (locked.folder / PAGES).symlink_to(elsewhere)
    result = locked.run("release", "1", "--keep", "1")
    assert result.err == f"fusion: {PAGES} is a link that leaves the project; make it a folder{REFUSED}"
    assert [path.name for path in elsewhere.iterdir()] == ["poetry.lock"]


def test_a_folder_that_cannot_be_made(locked: Any) -> None:
    locked.write(".fusion", "a file")
    assert locked.run("release", "1").err == (
        f"fusion: cannot make the folder {PAGES}: Not a directory; check its path and permissions{REFUSED}"
    )


def test_a_release_that_cannot_be_read_is_named(locked: Any, close_page_v2: Any) -> None:
    locked.write(f"{PAGES}/1.lock", "nothing")
    result = locked.run("release", "2")
    assert (result.code, result.err.split(":")[1]) == (2, f" {PAGES}/1.lock is not TOML")


def test_a_command_is_not_taken(locked: Any) -> None:
    assert locked.run("release", "1", "--", "python").err == (
        f"fusion: fusion release takes no command after --; configure it: fusion lock -- COMMAND does{REFUSED}"
    )
