"""A lock on disk, in one file or in its folder: what is read, and what is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile import disk
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.disk import present_files, read_files, read_lock, write_files
from fusion_contracts.lockfile.file import folder_of, is_there, lock_above, placed
from fusion_contracts.lockfile.files import LockFiles, renewed
from fusion_contracts.model import Lock, ServerContract

ROOT = os.geteuid() == 0 if hasattr(os, "geteuid") else False
TEN = [f"s{number:02}" for number in range(10)]
ELEVEN = [*TEN, "s10"]


def lock(*names: str, instructions: str = "x") -> Lock:
    return Lock({name: ServerContract(name, instructions=instructions) for name in sorted(names)})


def write(path: Path, held: Lock) -> LockFiles:
    """Make the lock at `path` this one, as `fusion lock` does."""
    old = present_files(path)
    new = renewed(old, old.open().lock, held.servers, old.open().lock.servers.keys() - held.servers.keys())
    write_files(path, old, new)
    return new


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "fusion.lock"


# --- what is written -------------------------------------------------------------------------------------------------


def test_ten_are_a_file_eleven_a_folder_and_ten_again_the_folder(path: Path) -> None:
    write(path, lock(*TEN))
    assert tree(path.parent) == ["fusion.lock"]
    write(path, lock(*ELEVEN))
    assert tree(path.parent) == ["fusion.lock.d", *(f"fusion.lock.d/{name}.lock" for name in ELEVEN)]
    assert read_lock(path) == lock(*ELEVEN)
    write(path, lock(*TEN))
    assert tree(path.parent) == ["fusion.lock.d", *(f"fusion.lock.d/{name}.lock" for name in TEN)]
    assert read_lock(path) == lock(*TEN)
    write(path, Lock())
    assert tree(path.parent) == ["fusion.lock"]
    assert read_lock(path) == Lock()


def test_only_what_changes_is_written(path: Path) -> None:
    old = write(path, lock(*ELEVEN))
    before = {file: file.stat().st_ino for file in (path.parent / "fusion.lock.d").iterdir()}
    new = renewed(old, lock(*ELEVEN), lock("s03", instructions="y").servers)
    placed.clear()
    write_files(path, old, new)
    assert placed == [path.parent / "fusion.lock.d" / "s03.lock"]
    assert [file.name for file, node in before.items() if file.stat().st_ino != node] == ["s03.lock"]


def test_what_the_system_left_in_an_empty_folder_stays(path: Path) -> None:
    folder = path.parent / "fusion.lock.d"
    folder.mkdir()
    (folder / ".DS_Store").write_bytes(b"x")
    assert not is_there(path)
    write(path, lock(*ELEVEN))
    assert tree(folder) == [".DS_Store", *(f"{name}.lock" for name in ELEVEN)]


def test_names_that_differ_in_case_alone_have_files_of_their_own(path: Path) -> None:
    names = ["GitHub", "github", "GITHUB", "con", "../up", "a/b", "a\\b", *TEN]
    write(path, lock(*names))
    assert read_lock(path) == lock(*names)
    assert len({file.name.casefold() for file in (path.parent / "fusion.lock.d").iterdir()}) == len(names)
    assert tree(path.parent)[0] == "fusion.lock.d"


# --- what is read ----------------------------------------------------------------------------------------------------


def test_a_foreign_file_in_the_folder_is_named(path: Path) -> None:
    write(path, lock(*ELEVEN))
    (path.parent / "fusion.lock.d" / "notes.txt").write_text("x")
    with pytest.raises(FusionError) as caught:
        read_lock(path)
    assert str(caught.value) == f"{path}.d/notes.txt is no file of this lock; move it out of that folder"


def test_a_folder_in_the_folder_is_named(path: Path) -> None:
    write(path, lock(*ELEVEN))
    (path.parent / "fusion.lock.d" / "more.lock").mkdir()
    with pytest.raises(FusionError, match=r"more\.lock is a folder, not a lock; "):
        read_lock(path)


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    write(path, lock(*ELEVEN))
    (path.parent / "fusion.lock.d" / "s04.lock").write_bytes(b"\xff")
    with pytest.raises(FusionError) as caught:
        read_lock(path)
    assert str(caught.value) == (
        f"{path}.d/s04.lock is not UTF-8: line 1 holds the byte 0xff; restore it, or delete it and run `fusion lock`"
    )


@pytest.mark.skipif(ROOT, reason="root reads every folder")
def test_a_folder_that_cannot_be_read(path: Path) -> None:
    write(path, lock(*ELEVEN))
    folder = path.parent / "fusion.lock.d"
    folder.chmod(0)
    try:
        assert is_there(path)
        with pytest.raises(FusionError) as caught:
            read_lock(path)
    finally:
        folder.chmod(0o755)
    assert str(caught.value) == f"cannot read {path}.d; check its permissions"


def test_no_lock_at_all(path: Path) -> None:
    (path.parent / "fusion.lock.d").mkdir()
    with pytest.raises(FusionError) as caught:
        read_lock(path)
    assert str(caught.value) == f"no lock at {path}; run `fusion lock SOURCE` to write one"


def test_a_folder_further_up_is_found(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, lock(*ELEVEN))
    below = path.parent / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert lock_above(Path("fusion.lock")) == "../.."


def test_the_folder_itself_is_not_the_lock_s_name(path: Path) -> None:
    write(path, lock(*ELEVEN))
    with pytest.raises(FusionError) as caught:
        read_lock(Path(f"{path}.d"))
    assert str(caught.value) == f"{path}.d is a folder, not a lock; name the lock: {path}"


def test_a_switch_puts_no_more_into_the_file_than_is_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = write(path, lock(*TEN))
    new = renewed(old, lock(*TEN), lock(*ELEVEN).servers)
    monkeypatch.setattr(disk, "MAX_BYTES", len(new.joined.encode()) - 1)
    placed.clear()
    write_files(path, old, new)
    assert placed == [folder_of(path)]
    assert read_lock(path) == lock(*ELEVEN)
    assert not path.exists()


# --- links -----------------------------------------------------------------------------------------------------------


def test_a_folder_that_is_a_link_elsewhere_is_read_and_never_written(path: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    write(path, lock(*ELEVEN))
    (work / "fusion.lock.d").symlink_to(tmp_path / "fusion.lock.d")
    linked = work / "fusion.lock"
    assert read_lock(linked) == lock(*ELEVEN)
    with pytest.raises(FusionError) as caught:
        write(linked, lock(*ELEVEN, "s11"))
    assert str(caught.value) == (
        f"{linked}.d is a symbolic link that leaves its folder; put the folder itself there"
    )
    assert read_lock(path) == lock(*ELEVEN)


def test_a_link_inside_is_not_followed_out_of_the_folder(path: Path, tmp_path: Path) -> None:
    write(path, lock(*ELEVEN))
    file = tmp_path / "fusion.lock.d" / "s00.lock"
    elsewhere = file.rename(tmp_path / "s00.lock")
    file.symlink_to(elsewhere)
    assert read_lock(path) == lock(*ELEVEN)
    with pytest.raises(FusionError, match=r"s00\.lock is a symbolic link that leaves its folder"):
        write(path, lock(*ELEVEN, instructions="y"))
    assert read_lock(path) == lock(*ELEVEN)
    write(path, lock(*TEN[1:]))
    assert elsewhere.exists(), "the link goes, and what it led to stays"


def test_a_dangling_link_where_the_folder_would_be(path: Path) -> None:
    (path.parent / "fusion.lock.d").symlink_to(path.parent / "gone")
    with pytest.raises(FusionError) as caught:
        write(path, lock(*ELEVEN))
    assert str(caught.value) == f"{path}.d is not a folder; remove it, then run again"


def test_a_single_file_that_is_a_link_goes_and_what_it_led_to_stays(path: Path) -> None:
    real = path.parent / "real.lock"
    real.write_text(encode(lock(*TEN)), newline="\n")
    path.symlink_to(real)
    write(path, lock(*ELEVEN))
    assert tree(path.parent)[0] == "fusion.lock.d"
    assert tree(path.parent)[-1] == "real.lock"


# --- runs at once ----------------------------------------------------------------------------------------------------


def test_what_another_run_wrote_meanwhile_is_not_overwritten(path: Path) -> None:
    old = write(path, lock(*TEN))
    new = renewed(old, lock(*TEN), lock("s10").servers)
    write(path, lock(*TEN, "other"))
    before = tree(path.parent)

    def unchanged() -> None:
        if present_files(path) != old:
            raise FusionError("changed", "run it again")

    with pytest.raises(FusionError, match="changed"):
        write_files(path, old, new, check=unchanged)
    assert tree(path.parent) == before
    assert read_lock(path) == lock(*TEN, "other")


_RACE = """
import sys
from pathlib import Path
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.disk import present_files, write_files
from fusion_contracts.lockfile.files import renewed
from fusion_contracts.model import ServerContract

path, mine = Path(sys.argv[1]), sys.argv[2]
for number in range(12):
    while True:
        old = present_files(path)
        locked = old.open().lock  # readable at every moment, whatever the other one writes
        new = renewed(old, locked, {f"{mine}{number}": ServerContract(f"{mine}{number}")})

        def unchanged():
            if present_files(path) != old:
                raise FusionError("changed", "again")

        try:
            write_files(path, old, new, check=unchanged)
            break
        except FusionError as error:
            if error.problem.message != "changed":
                raise
"""


@pytest.mark.skipif(sys.platform == "win32", reason="runs take turns where the system can")
def test_two_that_add_servers_at_once_lose_none_over_the_switch(path: Path) -> None:
    runs = [subprocess.Popen([sys.executable, "-c", _RACE, str(path), mine]) for mine in "ab"]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    assert set(read_lock(path).servers) == {f"{mine}{number}" for mine in "ab" for number in range(12)}
    assert not path.exists()


def test_reading_names_the_lock_as_it_was_called(path: Path) -> None:
    write(path, lock(*ELEVEN))
    assert read_files(path, "fusion.lock").label() == "fusion.lock.d"
