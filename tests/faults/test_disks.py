"""A disk that is full, out of names or read-only: every command that writes says so, and what was there stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from writing import COMMANDS, Writing, is_leftover, state

if sys.platform != "win32":
    import resource

FULL, READ_ONLY, TOO_LARGE = "no space is left", "the file system is read-only", "no file may be so large here"
ROOM, ACCESS = "make room, then run again", "check the path and its permissions, then run again"
SYSTEM = {FULL: "No space left on device", READ_ONLY: "Read-only file system", TOO_LARGE: "File too large"}

TARGETS = {
    "lock, the first": "fusion.toml",
    "lock, changed": "fusion.lock",
    "lock, the first folder": "fusion.lock.d",
    "lock, a changed folder": "fusion.lock.d/s00.lock",
    "lock, a folder from here on": "fusion.lock",
    "lock, a switch that was cut off": "fusion.lock.d/s00.lock",
    "lock --prune": "fusion.lock.d/s09.lock",
    "lock --prune, all of a folder": "fusion.lock",
    "release": ".fusion/releases/pages/2.0.lock",
    "release --keep": ".fusion/releases/pages/2.0.lock",
    "waive": "fusion.toml",
    "init": "fusion.toml",
    "diff": "report.json",
    "check": "report.json",
    "awareness": "report.json",
    "report": "report.txt",
    "merge-driver": "ours.lock",
}
"""What each command cannot write, first."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")


def files() -> dict[str, bytes]:
    """What is there, without what fills the disk."""
    return {name: data for name, data in state(Path()).items() if data is not None and not name.startswith("filler")}


def expected(writing: Writing, reason: str) -> tuple[int, list[str]]:
    """The exit code and the last lines that a command ends with."""
    if writing.name == "lock, a journal":
        step = "remove it, or make its folder writable" if reason == READ_ONLY else ROOM
        sentence = f"fusion: cannot keep fusion.lock.journal: {SYSTEM[reason]}; {step}"
        return 2, [sentence, "exit 2: could not check"]
    target = TARGETS[writing.name]
    there = Path(target).is_file() and writing.name != "lock --prune"
    if reason == READ_ONLY and there:
        sentence = f"fusion: {target} is read-only; make it writable, then run again"
    else:
        step = ACCESS if reason == READ_ONLY else ROOM
        sentence = f"fusion: cannot write {target}: {reason}; nothing was changed; {step}"
    if writing.name == "merge-driver":
        return 1, [sentence, "fusion: fusion.lock is our side, unmerged"]
    return 2, [sentence, "exit 2: could not check"]


def removes_alone(writing: Writing, reason: str) -> bool:
    """Whether a command needs no room: it takes files away."""
    return writing.name == "lock --prune" and reason != READ_ONLY


def look(fusion: Callable[..., Any], writing: Writing, reason: str, before: dict[str, bytes]) -> None:
    """Run a command where it cannot write, and see what it says and leaves."""
    code, last = expected(writing, reason)
    result = fusion(*writing.words)
    if removes_alone(writing, reason):
        gone = {f"fusion.lock.d/s{number:02}.lock" for number in range(9, 14)}
        assert (result.code, before.keys() - files().keys()) == (0, gone)
        return
    assert (result.code, result.err[-2:]) == (code, last)
    assert files() == before
    assert not [name for name in state(Path()) if is_leftover(name) or ".journal" in name]


@pytest.mark.parametrize("writing", COMMANDS, ids=str)
def test_a_full_disk(fusion: Callable[..., Any], disk: Any, writing: Writing) -> None:
    writing.prepare()
    before = files()
    disk.fill()
    look(fusion, writing, FULL, before)


@pytest.mark.parametrize("writing", COMMANDS, ids=str)
def test_a_disk_that_takes_no_more_files(fusion: Callable[..., Any], disk: Any, writing: Writing) -> None:
    writing.prepare()
    before = files()
    disk.use_names()
    look(fusion, writing, FULL, before)


@pytest.mark.parametrize("writing", COMMANDS, ids=str)
def test_a_read_only_disk(fusion: Callable[..., Any], disk: Any, writing: Writing) -> None:
    writing.prepare()
    before = files()
    disk.protect()
    look(fusion, writing, READ_ONLY, before)


@contextmanager
def no_file_grows() -> Iterator[None]:
    """A limit of zero bytes a file, which needs no root; Python leaves the signal aside, so that writes fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@posix
@pytest.mark.parametrize("writing", COMMANDS, ids=str)
def test_a_limit_on_what_a_file_may_hold(
    fusion: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writing: Writing
) -> None:
    monkeypatch.chdir(tmp_path)
    writing.prepare()
    before = files()
    with no_file_grows():
        look(fusion, writing, TOO_LARGE, before)
    assert fusion(*writing.words).code == writing.code  # and with room it is done


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(
    fusion: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    COMMANDS[1].prepare()
    before = files()
    tmp_path.chmod(0o500)
    try:
        result = fusion("lock")
    finally:
        tmp_path.chmod(0o700)
    assert (result.code, files()) == (2, before)
    assert result.err[-2:] == [
        f"fusion: cannot write fusion.lock: no permission; nothing was changed; {ACCESS}", "exit 2: could not check",
    ]  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_device_is_no_file(fusion: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    next(one for one in COMMANDS if one.name == "diff").prepare()
    result = fusion("diff", "one.json", "none.json", "--format", "json=/dev/full")
    assert (result.code, result.err[-2:]) == (
        2, ["fusion: /dev/full is not a file; name a plain file", "exit 2: could not check"]
    )  # fmt: skip


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_report_that_a_disk_takes_in_part(disk: Any, unbuffered: str) -> None:
    """Redirected by the shell: half a report is no success."""
    Path("many.json").write_text(json.dumps([{"name": f"tool_{n}", "inputSchema": {}} for n in range(2_000)]))
    Path("report").touch()
    disk.fill()
    os.truncate("filler", Path("filler").stat().st_size - 8_192)
    command = [sys.executable, "-m", "fusion_contracts", "show", "many.json"]
    given = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("report").open("wb") as report:
        done = subprocess.run(command, env=given, stdout=report, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-2:]) == (
        2,
        [
            "fusion: cannot write to standard output: no space left on device; write elsewhere",
            "exit 2: could not check",
        ],
    )
    assert Path("report").stat().st_size > 0
