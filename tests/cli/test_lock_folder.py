"""Above ten servers the lock is one file a server, and every command reads it as it reads a single one."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from fusion_contracts import FusionError, load
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.disk import read_lock
from fusion_contracts.model import Lock
from fusion_contracts.testing.snapshot import Snapshot

Tool = dict[str, Any]
NAMES = [f"s{number:02}" for number in range(11)]
BROKEN = "  close_page                     when no longer accepts 'later'"


def settings(project: Any, names: list[str], **more: str) -> None:
    """Sources that are catalogs, one a server."""
    head = "".join(f'{key} = "{value}"\n' for key, value in more.items())
    project.write("fusion.toml", head + "".join(f'[sources.{name}]\npath = "{name}.json"\n' for name in names))


@pytest.fixture
def many(repository: Any, close_page: Tool) -> Any:
    """A lock of eleven servers with one tool each, not committed yet."""
    for name in NAMES:
        repository.catalog(f"{name}.json", close_page)
    settings(repository, NAMES)
    assert repository.run("lock").code == 0
    return repository


def single(project: Any) -> None:
    """Make the lock one file, as a release without folders wrote it."""
    text = encode(read_lock(project.folder / "fusion.lock"))
    project.git("rm", "-rq", "--cached", "--ignore-unmatch", "fusion.lock.d")
    for file in (project.folder / "fusion.lock.d").iterdir():
        file.unlink()
    (project.folder / "fusion.lock.d").rmdir()
    project.write("fusion.lock", text)


def locks(project: Any) -> list[str]:
    return [file for file in project.files() if ".lock" in file]


# --- fusion lock -----------------------------------------------------------------------------------------------------


def test_the_eleventh_server_makes_it_a_folder(repository: Any, close_page: Tool) -> None:
    for name in NAMES:
        repository.catalog(f"{name}.json", close_page)
    settings(repository, NAMES[:10])
    assert repository.run("lock").out == "wrote fusion.lock: 10 servers, 10 tools\n"
    assert locks(repository) == ["fusion.lock"]
    result = repository.run("lock", "s10.json", "--name", "s10")
    assert result.code == 0
    assert result.out == "new: s10, 1 tool\nwrote fusion.lock.d: 11 servers, 11 tools\n"
    assert result.err == (
        "added the source to [sources] in fusion.toml\n"
        "note: more than 10 servers: one file a server from here on, in fusion.lock.d\n"
    )
    assert locks(repository) == [f"fusion.lock.d/{name}.lock" for name in NAMES]


def test_a_file_of_eleven_servers_is_a_folder_after_the_next_lock(many: Any) -> None:
    single(many)
    assert many.run("lock", "--check").out == (
        "exit 0: fusion.lock is intact and equal to its sources: 11 servers, 11 tools\n"
    )
    assert many.run("lock", "-s", "s03").out == "wrote fusion.lock.d: 11 servers, 11 tools\n"
    assert locks(many) == [f"fusion.lock.d/{name}.lock" for name in NAMES]


def test_in_a_ci_it_is_not_switched_unasked(many: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    single(many)
    monkeypatch.setenv("CI", "true")
    result = many.run("lock")
    assert (result.code, locks(many)) == (1, ["fusion.lock"])
    assert result.out == (
        "exit 1: fusion.lock would change, and CI is set: run fusion lock elsewhere and commit it, or add --write\n"
    )


def test_the_same_again_writes_nothing(many: Any) -> None:
    before = many.files()
    assert many.run("lock").out == "fusion.lock.d is up to date: 11 servers, 11 tools\n"
    assert many.files() == before
    assert many.run("lock", "--check").out == (
        "exit 0: fusion.lock.d is intact and equal to its sources: 11 servers, 11 tools\n"
    )


def test_one_server_changes_one_file_and_one_that_is_dropped_takes_its_own_away(
    many: Any, close_page: Tool, close_page_v2: Tool
) -> None:
    before = many.files()
    many.catalog("s03.json", close_page_v2)
    assert many.run("lock").code == 0
    changed = {file for file, data in many.files().items() if before[file] != data}
    assert changed == {"s03.json", "fusion.lock.d/s03.lock"}
    settings(many, NAMES[2:])
    result = many.run("lock", "--prune")
    assert result.code == 0
    assert result.err == (
        "note: fusion.lock.d stays, though 10 servers would go into one file; "
        "for one file again, remove it and run fusion lock\n"
    )
    assert locks(many) == [f"fusion.lock.d/{name}.lock" for name in NAMES[2:]]
    assert many.run("lock").err == "", "it is said once"


def test_the_way_back_that_is_said(many: Any) -> None:
    settings(many, NAMES[2:])
    many.run("lock", "--prune")
    for file in (many.folder / "fusion.lock.d").iterdir():
        file.unlink()
    (many.folder / "fusion.lock.d").rmdir()
    assert many.run("lock").out == "wrote fusion.lock: 9 servers, 9 tools\n"
    assert locks(many) == ["fusion.lock"]


def test_a_lock_of_another_name_has_a_folder_of_that_name(many: Any) -> None:
    assert many.run("lock", "--lockfile", "locks.toml").code == 0
    found = [file for file in many.files() if file.startswith("locks")]
    assert found == [f"locks.toml.d/{name}.lock" for name in NAMES]


def test_both_at_once_is_said_with_the_way_out(many: Any) -> None:
    many.write("fusion.lock", many.read("fusion.lock.d/s00.lock"))
    before = many.files()
    for words in (["lock"], ["lock", "--check"], ["check", "--offline"], ["show"], ["release", "1"]):
        result = many.run(*words)
        assert result.code == 2
        assert (result.out + result.err).splitlines()[0] == (
            "fusion: fusion.lock and fusion.lock.d are both there and differ; "
            "remove the one that is out of date (above 10 servers, the file), then run fusion lock"
        ), words
    assert many.files() == before


def test_a_foreign_file_is_said(many: Any) -> None:
    many.write("fusion.lock.d/notes.md", "x")
    result = many.run("check", "--offline")
    assert result.code == 2
    assert (result.out + result.err).splitlines()[0] == (
        "fusion: fusion.lock.d/notes.md is no file of this lock; move it out of that folder"
    )


# --- what reads it ---------------------------------------------------------------------------------------------------


def test_each_command_reads_it(many: Any, close_page_v2: Tool) -> None:
    many.commit()
    many.catalog("s03.json", close_page_v2)
    assert many.run("show", "--format", "json").code == 0
    assert many.run("release", "1.0").out.count("kept release 1.0") == 11
    assert many.run("lock").code == 0
    result = many.run("check", "--offline", "--base", "main")
    assert BROKEN in result.out
    assert "with fusion.lock.d at main" in result.out
    identifier = next(line for line in result.out.splitlines() if line.startswith(BROKEN)).split()[-1]
    assert many.run("explain", identifier, "--base", "main").code == 0
    assert many.run("awareness", "-s", "s03").code == 0
    assert many.run("waive", identifier, "--reason", "agreed", "--base", "main").code == 0
    assert many.run("check", "--offline", "--base", "main").code == 0
    assert many.run("check", "--offline", "--base", "main", "--against", "release").code == 0
    many.commit()
    many.catalog("s04.json", close_page_v2)
    many.run("lock")
    assert many.run("waive", "--prune", "--base", "main").code == 0
    assert many.run("diff", "--base", "main").code == 1
    assert many.run("diff").code == 0


def test_an_edit_by_hand_is_found(many: Any) -> None:
    many.write("fusion.lock.d/s03.lock", many.read("fusion.lock.d/s03.lock").replace("Close a page.", "Close all."))
    result = many.run("lock", "--check")
    assert result.code == 1
    assert result.out.splitlines()[-1] == (
        "exit 1: fusion.lock.d was edited by hand or merged badly; fusion.lock.d is stale"
    )


def test_formats_show_findings_in_the_server_s_file(many: Any, close_page_v2: Tool) -> None:
    many.commit()
    many.catalog("s03.json", close_page_v2)
    settings(many, NAMES[:4] + NAMES[5:])
    assert many.run("lock", "--prune").code == 0
    out = many.run("check", "--offline", "--base", "main", "--format", "github").out
    text = many.read("fusion.lock.d/s03.lock").splitlines()
    line = next(number for number, one in enumerate(text, 1) if "properties.when]" in one)
    places = [found.split(",title")[0] for found in out.splitlines() if found.startswith("::error file")]
    assert sorted(places) == sorted([
        f"::error file=fusion.lock.d/s03.lock,line={line}",
        "::error file=fusion.lock.d/s04.lock,line=1",
    ])  # fmt: skip
    junit = many.run("check", "--offline", "--base", "main", "--format", "junit").out
    assert 'file="fusion.lock.d/s03.lock"' in junit


def test_it_is_a_source_by_every_name(many: Any, close_page_v2: Tool) -> None:
    (many.folder / "old").mkdir()
    subprocess.run(["cp", "-r", "fusion.lock.d", "old/fusion.lock.d"], check=True)
    many.commit()
    many.catalog("s03.json", close_page_v2)
    many.run("lock")
    for old in ("old", "old/fusion.lock", "old/fusion.lock.d", "git:main", "git:main:old/fusion.lock"):
        result = many.run("diff", old, "fusion.lock")
        assert (result.code, BROKEN in result.out) == (1, True), old
    assert many.run("diff", "old/fusion.lock.d/s03.lock", "fusion.lock.d/s03.lock").code == 1
    assert load("fusion.lock", server="s03") == load("fusion.lock.d", server="s03") == load("fusion.lock.d/s03.lock")
    with pytest.raises(FusionError, match=r"^fusion\.lock holds 11 servers; say which: server=\.\.\., of s00, "):
        load("fusion.lock")


# --- over its history ------------------------------------------------------------------------------------------------


def relock(project: Any, tool: Tool) -> None:
    project.catalog("s03.json", tool)
    assert project.run("lock").code == 0


@pytest.mark.parametrize("way", ["to the folder", "to the file"])
def test_a_switch_is_compared_with_the_other_form(many: Any, close_page_v2: Tool, way: str) -> None:
    if way == "to the folder":
        single(many)
    base = many.commit("base")[:7]
    relock(many, close_page_v2)
    if way == "to the file":
        single(many)
    many.git("add", "-A")
    old, new = ("fusion.lock", "fusion.lock.d") if way == "to the folder" else ("fusion.lock.d", "fusion.lock")
    result = many.run("diff", "--base", "main")
    assert result.code == 1
    assert result.out.startswith(f"{old} at main ({base}) -> {new}\n")
    assert BROKEN in result.out
    assert many.run("check", "--offline", "--base", "main").code == 1
    many.commit("switch")
    out = many.run("changelog", f"{base}..HEAD").out
    assert out.count("no longer accepts") == 1


@pytest.mark.parametrize("forms", ["file to folder", "folder to file", "folder to folder"])
def test_a_lock_that_was_moved_and_switched_is_no_first_lock(many: Any, close_page_v2: Tool, forms: str) -> None:
    before, after = forms.split(" to ")
    if before == "file":
        single(many)
    base = many.commit("base")[:7]
    relock(many, close_page_v2)
    (many.folder / "locks").mkdir()
    if after == "file":
        single(many)
        many.git("mv", "-k", "fusion.lock", "locks/all.lock")
        (many.folder / "fusion.lock").rename(many.folder / "locks" / "all.lock")
    else:
        (many.folder / "fusion.lock.d").rename(many.folder / "locks" / "all.lock.d")
    settings(many, NAMES, lockfile="locks/all.lock")
    many.git("add", "-A")
    result = many.run("check", "--offline", "--base", "main")
    was = {"file": "fusion.lock", "folder": "fusion.lock.d"}[before]
    assert result.code == 1
    assert f"compatible  with {was} at main ({base}): 1 breaking\n" in result.out


def test_a_new_lock_beside_one_that_only_switched_is_a_first_lock(many: Any, close_page: Tool) -> None:
    single(many)
    many.commit("base")
    many.run("lock")
    many.write("other/s03.json", json.dumps({"tools": [close_page]}))
    many.run("lock", "-C", "other", "s03.json", "--name", "s03")
    many.git("add", "-A")
    assert "first lock" in many.run("check", "--offline", "--base", "main", "-C", "other").out


def test_check_all_finds_folders_and_the_locks_that_became_one(many: Any, close_page_v2: Tool) -> None:
    single(many)
    many.write("b/s03.json", many.read("s03.json"))
    many.run("lock", "-C", "b", "s03.json", "--name", "s03")
    base = many.commit("base")[:7]
    relock(many, close_page_v2)
    many.git("add", "-A")
    result = many.run("check", "--all", "--offline", "--base", "main")
    assert result.code == 1
    assert [line for line in result.out.splitlines() if line.startswith(("fusion check", "compatible"))] == [
        "fusion check: b/fusion.lock, 1 server",
        f"compatible  with b/fusion.lock at main ({base}): no changes",
        "fusion check: fusion.lock, 11 servers",
        f"compatible  with fusion.lock at main ({base}): 1 breaking",
    ]


def test_check_all_tells_a_folder_that_is_no_more(many: Any, close_page: Tool) -> None:
    many.write("b/s99.json", json.dumps({"tools": [close_page]}))
    many.run("lock", "-C", "b", "s99.json", "--name", "s99")
    many.commit("base")
    many.git("rm", "-rq", "fusion.lock.d")
    result = many.run("check", "--all", "--offline", "--base", "main")
    assert result.code == 1
    assert "fusion check: fusion.lock, 0 servers\nintact      removed\n" in result.out
    assert "BREAKING  fusion.lock: s00: 1 breaking\n" in result.out


# --- in git ----------------------------------------------------------------------------------------------------------


def git(project: Any, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False)


def test_git_merges_and_shows_the_folder_s_files_with_the_drivers(
    many: Any, close_page: Tool, close_page_v2: Tool, list_pages: Tool
) -> None:
    assert many.run("init").code == 0
    assert many.run("merge-driver", "--install").code == 0
    many.commit("base")
    many.git("switch", "-q", "-c", "theirs")
    many.catalog("s03.json", close_page, {**list_pages, "name": "b_page"})
    many.run("lock")
    many.commit("theirs")
    many.git("switch", "-q", "main")
    many.catalog("s03.json", close_page_v2, {**list_pages, "name": "a_page"})
    many.run("lock")
    shown = many.git("diff", "fusion.lock.d")
    assert shown.startswith("fusion diff fusion.lock.d/s03.lock (")
    assert BROKEN in shown
    many.commit("ours")
    assert git(many, "merge", "-q", "--no-edit", "theirs", "-X", "ours").returncode in {0, 1}
    assert list(load("fusion.lock", server="s03").tools) == ["a_page", "b_page", "close_page"]


def test_a_branch_that_switched_and_one_that_changed_the_file_end_in_both_and_the_way_out(
    many: Any, close_page_v2: Tool
) -> None:
    single(many)
    many.commit("base")
    many.git("switch", "-q", "-c", "theirs")
    servers = read_lock(many.folder / "fusion.lock").servers
    many.write("fusion.lock", encode(Lock({name: one for name, one in servers.items() if name != "s10"})))
    many.commit("theirs")
    many.git("switch", "-q", "main")
    many.run("lock")
    many.commit("ours")
    assert git(many, "merge", "--no-edit", "theirs").returncode == 1
    assert "are both there and differ" in many.run("lock").err
    many.git("rm", "-q", "fusion.lock")
    assert many.run("lock").code == 0


def test_a_test_of_an_object_reads_and_updates_the_folder(many: Any, close_page_v2: Tool) -> None:
    tools = [{"name": "close_page", "description": "Close a page.", "inputSchema": close_page_v2["inputSchema"]}]
    snapshot = Snapshot.open(str(many.folder), None, "s03", "breaking")
    failure = snapshot.settle(tools, update=False, timeout=60)
    assert failure is not None
    assert failure.startswith("s03 is not what fusion.lock.d says\n")
    before = many.files()
    assert snapshot.settle(tools, update=True, timeout=60) is None
    changed = {file for file, data in many.files().items() if before.get(file) != data}
    assert changed == {"fusion.lock.d/s03.lock"}
