"""Where the contracts are looked for that agents have learned, and the one line that says what was found."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

from fusion_contracts import FusionError
from fusion_contracts.integrations import Options, attach
from fusion_contracts.integrations.finding import find
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.disk import present_files, write_files
from fusion_contracts.lockfile.files import renewed
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.runtime.releases import pack, release_head

CONTRACT = contract_of_tools([{"name": "close", "inputSchema": {"type": "object", "properties": {"id": {}}}}], "desk")
NONE = "Agents are not told what changed in desk: "


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Path:
    """A project with a folder for its program; elsewhere is where it is started."""
    for folder in ("project/src/desk", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    for top in ("project/pyproject.toml", "elsewhere/pyproject.toml"):
        (tmp_path / top).touch()
    monkeypatch.chdir(tmp_path / "elsewhere")
    caplog.set_level(logging.INFO, logger="fusion_contracts.integrations")
    return tmp_path / "project"


def lock(path: Path, *servers: str, head: str = "") -> Path:
    contracts: dict[str, ServerContract] = {
        name: replace(CONTRACT, name=name, info={"version": "0.9"}) for name in servers
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + encode(Lock(contracts)), encoding="utf-8")
    return path


def release(folder: Path, name: str, number: int, server: str = "desk") -> Path:
    return lock(folder / ".fusion/releases" / server / f"{name}.lock", server, head=release_head(name, number))


def test_releases_above_the_program(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    release(project, "1.0.0", 1)
    release(project, "1.1.0", 2)
    lock(project / "fusion.lock", "desk")
    known = find(Options(), "desk", project / "src" / "desk")
    assert [one.name for one in known.releases] == ["1.0.0", "1.1.0"]
    folder = project / ".fusion" / "releases" / "desk"
    assert caplog.messages == [
        f"Agents are told what changed in desk since 1.0.0: 2 releases, the last 1.1.0 ({folder})"
    ]


def test_the_only_server_is_meant_whatever_it_is_called(project: Path) -> None:
    release(project, "1.0.0", 1, server="help")
    assert find(Options(), "desk", project).releases[0].name == "1.0.0"


def named_tools(*names: str) -> ServerContract:
    return contract_of_tools([{"name": name, "inputSchema": {"type": "object"}} for name in names], "desk")


@pytest.mark.parametrize("kept", ["lock", "release"])
def test_the_only_server_is_not_meant_where_its_tools_are_another_servers(
    project: Path, caplog: pytest.LogCaptureFixture, kept: str
) -> None:
    path = lock(project / "fusion.lock", "help") if kept == "lock" else release(project, "0.9", 1, "help").parent
    known = find(Options(), "desk", project)
    assert caplog.messages == [f"Agents are told what changed in desk since 0.9 ({path}, of its only server, help)"]
    caplog.clear()
    for _ in range(2):
        assert known.deltas(named_tools("close", "open")) != []  # half of the tools are there
    assert caplog.messages == []
    assert known.deltas(named_tools("open", "send")) == []
    said = f"Agents are not told what changed in desk: the only server in {path} is help, which has none of its tools; "
    assert caplog.messages == [f'{said}if that is its past, say so: name="help"']


def test_the_only_server_that_calls_itself_so_is_meant_whatever_its_tools(project: Path) -> None:
    held = replace(CONTRACT, name="help", info={"name": "desk"})
    (project / "fusion.lock").write_text(encode(Lock({"help": held})), encoding="utf-8")
    assert find(Options(), "desk", project).deltas(named_tools("open")) != []


def test_a_place_that_the_program_names_is_believed(project: Path) -> None:
    path = lock(project / "fusion.lock", "help")
    assert find(Options(releases=path), "desk").deltas(named_tools("open")) != []


def test_what_is_packed_beside_the_program_comes_first(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    release(project, "1.0.0", 1)
    packed = project / "src" / "desk" / "fusion_deltas.json"
    packed.write_text(pack((), CONTRACT), encoding="utf-8")
    assert find(Options(), "desk", packed.parent).deltas(CONTRACT) == []
    assert caplog.messages == [f"Agents are told what changed in desk since its packed releases ({packed})"]


def test_a_lock_is_what_is_left(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = lock(project / "fusion.lock", "other", "desk")
    known = find(Options(), "desk", project / "src")
    assert [one.contract.name for one in known.releases] == ["desk"]
    assert caplog.messages == [f"Agents are told what changed in desk since 0.9 ({path})"]


def test_a_lock_of_one_file_a_server(project: Path) -> None:
    servers = {name: replace(CONTRACT, name=name) for name in ["desk", *(f"mail{number:02}" for number in range(10))]}
    path = project / "fusion.lock"
    before = present_files(path)
    write_files(path, before, renewed(before, Lock(), servers))
    assert (path.exists(), find(Options(), "desk", project).releases[0].contract) == (False, CONTRACT)


def test_the_working_directory_comes_after_the_program(project: Path) -> None:
    release(Path.cwd(), "2.0.0", 1)
    assert find(Options(), "desk", project).releases[0].name == "2.0.0"


def test_other_locks_in_a_project_are_no_releases(project: Path) -> None:
    (project / "uv.lock").write_text("version = 1\n", encoding="utf-8")
    assert not find(Options(), "desk", project)


def test_nothing_is_found(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert not find(Options(), "desk", project / "src")
    looked = f"{project / 'src'} up to {project}, {Path.cwd()} (fusion_deltas.json, .fusion/releases, fusion.lock)"
    assert caplog.messages == [f"{NONE}no release is in {looked}"]


def test_one_way_is_told_once(project: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.chdir(project)
    assert not find(Options(), "desk", project / "src")
    (line,) = caplog.messages
    assert line.startswith(f"{NONE}no release is in {project / 'src'} up to {project} (")


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_nothing_is_taken_from_a_folder_above_that_everybody_may_write_to(project: Path) -> None:
    (project / "pyproject.toml").unlink()
    release(project, "1.0.0", 1)
    assert find(Options(), "desk", project / "src")
    project.chmod(0o1777)
    assert not find(Options(), "desk", project / "src")
    assert find(Options(), "desk", project)  # the program's own folder is what it is


def test_strict_refuses_to_start_without_a_release(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(FusionError) as caught:
        find(Options(strict=True, releases=project), "desk")
    assert str(caught.value).startswith(f"no release of desk is in {project}/.fusion/releases/desk, ")
    assert str(caught.value).endswith("; keep one: fusion release NAME")
    assert caplog.messages == []


@pytest.mark.parametrize("strict", [False, True])
def test_a_release_that_cannot_be_read(project: Path, caplog: pytest.LogCaptureFixture, *, strict: bool) -> None:
    path = release(project, "1.0.0", 1)
    path.write_text("lock_version = [", encoding="utf-8")
    options = Options(strict=strict)
    if strict:
        with pytest.raises(FusionError, match=r"1\.0\.0\.lock"):
            find(options, "desk", project)
        return
    assert not find(options, "desk", project)
    (line,) = caplog.messages
    assert line.startswith(f"{NONE}{path} ")


@pytest.mark.parametrize("strict", [False, True])
def test_a_lock_of_other_servers(project: Path, caplog: pytest.LogCaptureFixture, *, strict: bool) -> None:
    path = lock(project / "fusion.lock", "mail", "news")
    sentence = f'{path} holds no server "desk"; name one of them: mail, news'
    options = Options(strict=strict, releases=path)
    if strict:
        with pytest.raises(FusionError) as caught:
            find(options, "desk")
        assert str(caught.value) == sentence
        return
    assert not find(options, "desk")
    assert caplog.messages == [f"{NONE}{sentence}"]


def test_a_contract_that_is_given(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    known = find(Options(releases=CONTRACT), "desk", project)
    assert known.releases[0].contract is CONTRACT
    assert caplog.messages == ["Agents are told what changed in desk since the given contract"]


def test_a_name_is_untrusted(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    find(Options(), "de\nsk\x1b[0m", project)
    (line,) = caplog.messages
    assert "\n" not in line
    assert "\x1b" not in line


def test_what_is_no_server_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^builtins\.object is none of fastmcp\.server\.server\.FastMCP, "):
        attach(object())
