"""SQLite logs that are there and out of reach: in a folder that is read-only, locked, or no plain file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.usage.counting import count
from fusion_contracts.loop.usage.engines import opened
from fusion_contracts.loop.usage.queries import Filter

NOBODY = 65_534

unix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are Unix's")


def calls(log: Path) -> int:
    with opened(str(log)) as engine:
        return count(engine, Filter(), "").total.calls


def refusal(log: Path) -> str:
    with pytest.raises(FusionError) as caught:
        calls(log)
    return str(caught.value).replace(str(log), "LOG")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"
    with ErrorLog(path) as told:
        told.record(run="r", action="close")
    assert calls(path) == 1
    return path


@contextmanager
def read_only(*files: Path) -> Iterator[Path]:
    """A folder with copies of the files, in which this process cannot write: root is somebody else meanwhile."""
    with TemporaryDirectory() as folder:
        for file in files:
            shutil.copy(file, folder)
            (Path(folder) / file.name).chmod(0o444)
        Path(folder).chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            yield Path(folder)
        finally:
            if is_root:
                os.seteuid(0)
            Path(folder).chmod(0o755)


@unix
def test_a_log_in_a_folder_that_is_read_only_is_read(log: Path) -> None:
    with read_only(log) as folder:
        assert calls(folder / "log.sqlite") == 1


@unix
def test_newer_entries_beside_it_are_not_left_out(log: Path) -> None:
    with closing(sqlite3.connect(log)) as held:  # who is the last to close it would take them in
        held.execute("SELECT 1 FROM fusion_calls").fetchall()
        with ErrorLog(log) as told:
            told.record(run="r", action="close")
        with read_only(log, log.with_name("log.sqlite-wal")) as folder:
            assert refusal(folder / "log.sqlite") == (
                "cannot read LOG: unable to open database file; "
                "copy it, and the file beside it whose name ends in -wal, to where you may write"
            )
    assert calls(log) == 2


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_log_that_is_held_is_said_to_be(journal: str, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = partial(sqlite3.connect, timeout=0)
    with closing(sqlite3.connect(log, isolation_level=None)) as held:
        held.execute(f"PRAGMA journal_mode = {journal}")
        held.execute("PRAGMA locking_mode = EXCLUSIVE")
        held.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr("fusion_contracts.loop.usage.sqlite_log.sqlite3.connect", connect)
        assert refusal(log) == "cannot read LOG: database is locked; run again when no program holds it"


def test_a_folder_or_a_pipe_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "folder.sqlite").mkdir()
    names = ["folder.sqlite"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.jsonl")
        names.append("pipe.jsonl")
    for name in names:
        assert refusal(tmp_path / name) == "LOG is not a plain file; name a log: fusion report LOG"
