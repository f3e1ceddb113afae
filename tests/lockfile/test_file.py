"""Locks on disk: read whole or refused in one sentence, written whole or not at all."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile import file
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.disk import read_lock
from fusion_contracts.lockfile.file import read_text, write_atomic, write_together
from fusion_contracts.model import Lock, ServerContract

LOCK = Lock({"s": ServerContract("s", instructions="a\nb")})
posix = pytest.mark.skipif(os.name != "posix", reason="signals, links and permission bits of POSIX")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def reading(path: Path) -> str:
    with pytest.raises(FusionError) as caught:
        read_lock(path)
    assert caught.value.problem.stage == "lock"
    return str(caught.value)


def writing(path: Path) -> str:
    with pytest.raises(FusionError) as caught:
        write_atomic(path, "new")
    assert caught.value.problem.stage == "lock"
    return str(caught.value)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    write_atomic(path, encode(LOCK))
    assert read_lock(path) == LOCK
    assert path.read_bytes() == encode(LOCK).encode()
    write_atomic(path, "ü\r\n")
    assert read_text(path) == "ü\r\n"
    assert names(tmp_path) == ["fusion.lock"]


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_missing_lock_says_how_to_write_one(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    assert reading(path) == f"no lock at {path}; run `fusion lock SOURCE` to write one"


def test_a_folder_is_no_lock(tmp_path: Path) -> None:
    assert reading(tmp_path) == f"{tmp_path} is a folder, not a lock; name the file, such as {tmp_path}/fusion.lock"


@posix
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    os.mkfifo(path)
    assert reading(path) == f"{path} is not a file; name a lock that is a plain file"


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    path.write_bytes(b"lock_version = 1\n# \xe9\n")
    assert reading(path) == (
        f"{path} is not UTF-8: line 2 holds the byte 0xe9; restore it, or delete it and run `fusion lock`"
    )


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    path.touch()
    assert reading(path) == f"{path} is empty; restore it, or delete it and run `fusion lock`"


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    with path.open("wb") as huge:
        huge.truncate(file.MAX_BYTES + 1)
    assert reading(path) == f"{path} is larger than 64 MB; check that it is a lock"


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fusion.lock"
    path.touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert reading(path) == f"cannot read {path}: no permission; check its permissions"


# --- writing ---------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_permission_bits_are_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "fusion.lock"
    path.write_text("old")
    path.chmod(mode)
    write_atomic(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_new_lock_is_readable_as_other_new_files_are(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_atomic(tmp_path / "fusion.lock", "new")
    assert (tmp_path / "fusion.lock").stat().st_mode == (tmp_path / "other").stat().st_mode


@posix
def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "real.lock").write_text("old")
    link = tmp_path / "fusion.lock"
    link.symlink_to("locks/real.lock")
    write_atomic(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "locks" / "real.lock").read_text() == "new"


@posix
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside.lock", tmp_path / "project" / "fusion.lock"
    outside.write_text("old")
    inside.parent.mkdir()
    inside.symlink_to(outside)
    assert writing(inside) == (
        f"{inside} is a symbolic link that leaves its folder; put the file itself there, or name its real path"
    )
    assert outside.read_text() == "old"


@posix
def test_a_link_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    path.symlink_to(path)
    with pytest.raises(FusionError):
        write_atomic(path, "new")
    with pytest.raises(FusionError):
        read_lock(path)


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    assert writing(tmp_path) == f"{tmp_path} is not a file; name the file, such as {tmp_path}/fusion.lock"


def test_a_missing_folder(tmp_path: Path) -> None:
    path = tmp_path / "no" / "fusion.lock"
    assert writing(path) == (
        f"cannot write {path}: its folder does not exist; nothing was changed; "
        "check the path and its permissions, then run again"
    )


def test_a_read_only_lock_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fusion.lock"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # for root, every file is writable
    assert writing(path) == f"{path} is read-only; make it writable, then run again"
    assert path.read_text() == "old"


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    path.write_text("old")
    tmp_path.chmod(0o500)
    try:
        assert writing(path).startswith(f"cannot write {path}: no permission; nothing was changed;")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("step", "code", "reason"),
    [
        ("open", errno.EACCES, "no permission"),
        ("open", errno.EROFS, "the file system is read-only"),
        ("fsync", errno.ENOSPC, "no space is left"),
        ("fsync", errno.EIO, "input/output error"),
        ("replace", errno.EPERM, "no permission"),
    ],
)
def test_a_write_that_fails_leaves_the_old_lock_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int, reason: str
) -> None:
    path = tmp_path / "fusion.lock"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path if step == "replace" else os, step, fail)
    sentence = writing(path)
    monkeypatch.undo()
    assert sentence == (
        f"cannot write {path}: {reason}; nothing was changed; "
        f"{'make room' if code == errno.ENOSPC else 'check the path and its permissions'}, then run again"
    )
    assert path.read_text() == "old"
    assert names(tmp_path) == ["fusion.lock"]


def test_an_interrupt_leaves_the_old_lock_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "fusion.lock"
    path.write_text("old")

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["fusion.lock"]


# Kills itself at the named step of writing; `half` is in the middle of the data.
KILLED = """
import os, pathlib, signal, sys
from fusion_contracts.lockfile import file

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

class Half:
    def __init__(self, descriptor, mode):
        self.descriptor = descriptor
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def write(self, data):
        os.write(self.descriptor, data[:len(data) // 2])
        die()

path, step = pathlib.Path(sys.argv[1]), sys.argv[2]
if step == "half":
    file.open = Half
elif step in ("replace", "chmod"):
    setattr(pathlib.Path, step, die)
elif step == "settle":
    file._settle = die
else:
    setattr(os, step, die)
file.write_atomic(path, "new\\n" * 100_000)
"""


@posix
@pytest.mark.parametrize(
    ("step", "old"),
    [
        *((step, "old\n") for step in ("open", "half", "fsync", "chmod", "replace", "settle")),
        *((step, None) for step in ("open", "half", "fsync", "replace", "settle")),
    ],
)
def test_a_kill_at_any_step_leaves_the_old_lock_or_the_whole_new_one(
    tmp_path: Path, step: str, old: str | None
) -> None:
    path = tmp_path / "fusion.lock"
    if old is not None:
        path.write_text(old)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), step], check=False)
    assert done.returncode == -signal.SIGKILL
    found = path.read_text() if path.exists() else None
    assert found == ("new\n" * 100_000 if step == "settle" else old)


@posix
def test_what_a_kill_left_behind_does_not_disturb_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    subprocess.run([sys.executable, "-c", KILLED, str(path), "half"], check=False)
    write_atomic(path, encode(LOCK))
    assert read_lock(path) == LOCK


@posix
def test_a_link_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    path.symlink_to("gone.lock")
    assert reading(path) == (
        f"{path} is a symbolic link to a file that does not exist; make that file, or remove the link"
    )


def test_a_text_that_is_no_text_and_a_name_that_is_no_name(tmp_path: Path) -> None:
    path = tmp_path / "fusion.lock"
    path.write_text("old")
    with pytest.raises(FusionError, match="it holds what UTF-8 cannot; nothing was changed"):
        write_atomic(path, "\udcff")
    with pytest.raises(FusionError, match="it has no name for a file; nothing was changed"):
        write_atomic(tmp_path / "a\0b", "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["fusion.lock"]


def test_files_that_belong_together_are_written_all_or_none(tmp_path: Path) -> None:
    first, second, third = tmp_path / "a", tmp_path / "folder", tmp_path / "c"
    first.write_text("old")
    second.mkdir()
    with pytest.raises(FusionError, match="folder is not a file"):
        write_together({first: "new", second: "new", third: "new"})
    assert (first.read_text(), names(tmp_path)) == ("old", ["a", "folder"])

    def refuse() -> None:
        raise FusionError("no")

    with pytest.raises(FusionError, match=r"^no$"):
        write_together({first: "new", third: "new"}, refuse)
    assert (first.read_text(), names(tmp_path)) == ("old", ["a", "folder"])
    write_together({first: "new", third: "new too"})
    assert (first.read_text(), third.read_text()) == ("new", "new too")


@posix
def test_between_check_and_write_no_other_run_writes(tmp_path: Path) -> None:
    path = tmp_path / "counter"
    path.write_text("0")
    count = """
import sys
from pathlib import Path
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import write_together
path, left = Path(sys.argv[1]), 40
while left:
    old = path.read_text()
    def unchanged():
        if path.read_text() != old:
            raise FusionError("changed")
    try:
        write_together({path: str(int(old) + 1)}, unchanged)
        left -= 1
    except FusionError:
        pass
"""
    runs = [subprocess.Popen([sys.executable, "-c", count, str(path)]) for _ in range(3)]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert (path.read_text(), names(tmp_path)) == ("120", ["counter"])
