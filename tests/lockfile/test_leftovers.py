"""What a killed run left beside a lock: removed by the next, unless somebody is at work on it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile import alone as turns
from fusion_contracts.lockfile.alone import alone
from fusion_contracts.lockfile.file import write_atomic, write_together

LEFT = ".fusion-4711-0a1b2c3d.tmp"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="runs take turns where the system can")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_next_write_removes_it_and_nothing_else(tmp_path: Path) -> None:
    others = [".fusion-1.tmp", ".fusion-x-0a1b2c3d.tmp", "fusion-1-0a1b2c3d.tmp", f"{LEFT}.old", "notes"]
    for name in (LEFT, *others):
        (tmp_path / name).write_text("half")
    write_atomic(tmp_path / "fusion.lock", "new")
    assert names(tmp_path) == sorted([*others, "fusion.lock"])


def test_a_folder_goes_if_it_holds_files_of_a_lock_alone(tmp_path: Path) -> None:
    ours, other = tmp_path / LEFT, tmp_path / ".fusion-4711-0a1b2c3e.tmp"
    for folder in (ours, other):
        folder.mkdir()
        (folder / "github.lock").touch()
    (other / "thesis.txt").touch()
    write_atomic(tmp_path / "fusion.lock", "new")
    assert names(tmp_path) == [other.name, "fusion.lock"]
    assert names(other) == ["github.lock", "thesis.txt"]


def test_a_link_goes_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "work" / LEFT).symlink_to(tmp_path / "kept")
    write_atomic(tmp_path / "work" / "fusion.lock", "new")
    assert (names(tmp_path / "work"), (tmp_path / "kept").read_text()) == (["fusion.lock"], "kept")


def test_it_goes_where_the_file_is_that_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "real.lock").touch()
    (tmp_path / "locks" / LEFT).touch()
    (tmp_path / "fusion.lock").symlink_to("locks/real.lock")
    write_atomic(tmp_path / "fusion.lock", "new")
    assert names(tmp_path / "locks") == ["real.lock"]


def test_what_another_run_is_writing_stays(tmp_path: Path) -> None:
    """Two runs write into one folder: the second waits until the first, which is at work on its file, is done."""
    order: list[str] = []
    staged, go = threading.Event(), threading.Event()

    def first() -> None:
        def check() -> None:
            staged.set()
            assert go.wait(30)
            order.append("first")

        write_together({tmp_path / "a": "1"}, check)

    def second() -> None:
        write_atomic(tmp_path / "b", "2")
        order.append("second")

    runs = [threading.Thread(target=first), threading.Thread(target=second)]
    runs[0].start()
    assert staged.wait(30)
    runs[1].start()
    runs[1].join(0.1)
    assert [name.startswith(".fusion-") for name in names(tmp_path)] == [True]
    go.set()
    for run in runs:
        run.join(30)
    assert (order, names(tmp_path)) == (["first", "second"], ["a", "b"])


def test_whoever_keeps_a_folder_may_write_into_it(tmp_path: Path) -> None:
    with alone([tmp_path]) as kept, alone([tmp_path, tmp_path / "gone"]) as again:
        assert kept == again == [os.path.realpath(tmp_path)]
        write_atomic(tmp_path / "fusion.lock", "new")
    with alone([tmp_path / "fusion.lock", tmp_path / "a\0b"]) as kept:
        assert kept == []


def test_a_folder_that_another_process_does_not_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`flock FOLDER fusion lock` in a script: fusion would wait for the script, which waits for fusion."""
    monkeypatch.setattr(turns, "_PATIENCE", 0.05)
    keep = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)"
    command = [sys.executable, "-c", f"{keep}; print(flush=True); input()", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(FusionError) as caught:
            write_atomic(tmp_path / "fusion.lock", "new")
        other.communicate(b"\n")
    assert str(caught.value) == (
        f"another process keeps the folder {tmp_path}; nothing was changed; wait for it or end it, then run again"
    )
    assert names(tmp_path) == []
    write_atomic(tmp_path / "fusion.lock", "new")
    assert names(tmp_path) == ["fusion.lock"]
