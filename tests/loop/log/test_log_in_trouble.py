"""A log whose sink, file, thread or process is in trouble: no call waits, and what can be written is."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from keeping import Kept

from fusion_contracts.loop.log import ErrorLog

CLOSED = """
import sys
from fusion_contracts.loop.log import ErrorLog

with ErrorLog(sys.argv[1]) as log:
    log.record(run="r", action="within")
for _ in range(3_000):
    log.record(run="r", action="behind")
"""


def actions(path: Path) -> list[str]:
    return [json.loads(line)["action"] for line in path.read_text(encoding="ascii").splitlines()]


def test_a_sink_that_fails_loses_its_batch_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    broken, sound = Kept(), Kept()
    broken.fails = 2
    with ErrorLog(broken, sound) as log:
        for number in range(4):
            log.record(run=str(number), action="close")
            log.flush()
    assert [entry.run for entry in broken.entries] == ["2", "3"]
    assert [entry.run for entry in sound.entries] == ["0", "1", "2", "3"]
    assert caplog.messages == [
        r"The error log kept cannot be written (OSError: the disk\u{1b}[31m is full): entries are lost, the calls go on"
    ]


def test_a_file_that_cannot_be_written_breaks_no_call(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "no.sqlite").write_bytes(b"no database" * 100)
    for name in ("file/log.sqlite", "file/log.jsonl", "no.sqlite"):
        with ErrorLog(tmp_path / name) as log:
            log.record(run="r", action="close")
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 3
    assert (tmp_path / "no.sqlite").read_bytes() == b"no database" * 100


@pytest.mark.parametrize("given", [{"outcome": "fine"}, {"attempt": "x"}, {"deltas": "many"}, {"fields": 5}])
def test_nonsense_breaks_no_call(given: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    sink = Kept()
    with ErrorLog(sink) as log:
        log.record("boom", run="r", action="close", **given)
        log.record("boom", run="r", action="close", **given)
        log.record(run="r", action="close")
    assert len(sink.entries) == 1
    (message,) = caplog.messages
    assert message.startswith("A call could not be logged, which changes nothing for the call: ")


def test_more_than_may_wait_is_dropped_with_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("fusion_contracts.loop.log.writer._WAITING", 0)
    sink = Kept()
    with ErrorLog(sink) as log:
        log.record(run="1", action="close")
        log.record(run="2", action="close")
    assert sink.entries == []
    assert caplog.messages == [
        "The error log kept does not keep up with the calls, and more than 0 wait: entries are lost, the calls go on"
    ]


def test_a_line_that_was_cut_off_stays_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    with ErrorLog(tmp_path / "log.jsonl") as log:
        monkeypatch.setattr("os.write", lambda file, data: real(file, data[:20]))
        log.record(run="1", action="close")
        log.flush()
        monkeypatch.setattr("os.write", real)
        log.record(run="2", action="close")
    cut, whole = (tmp_path / "log.jsonl").read_text(encoding="ascii").splitlines()
    assert len(cut) == 20
    assert json.loads(whole)["run"] == "2"


def test_the_end_of_a_process_waits_for_a_log_that_was_closed_before(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    subprocess.run([sys.executable, "-c", CLOSED, path], check=True, timeout=60)
    assert actions(path) == ["within", *["behind"] * 3_000]


def test_where_no_thread_can_be_started_an_entry_waits_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    path = tmp_path / "log.jsonl"
    with ErrorLog(path) as log:
        with monkeypatch.context() as full:
            full.setattr(Thread, "start", refuse)
            log.record(run="r", action="first")
        log.close()
        log.record(run="r", action="second")
    assert actions(path) == ["first", "second"]
    warning = f"The error log {path} has no thread that writes it, because the system gives none"
    assert caplog.messages == [f"{warning}: entries are lost, the calls go on"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to_where_somebody_reads_it_and_nobody_is_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "log.jsonl"
    os.mkfifo(path)
    with ErrorLog(path) as log:
        log.record(run="r", action="unread")
        assert log.flush(60)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        log.record(run="r", action="read")
        assert log.flush(60)
    assert json.loads(os.read(reader, 10_000))["action"] == "read"
    os.close(reader)
    (message,) = caplog.messages
    assert message.startswith(f"The error log {path} cannot be written (OSError: [Errno ")


@pytest.mark.parametrize("name", ["log.sqlite", "log.jsonl"])
def test_a_folder_is_no_log(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / name).mkdir()
    with ErrorLog(tmp_path / name) as log:
        log.record(run="r", action="close")
        assert log.flush(60)
    (message,) = caplog.messages
    assert message.startswith(f"The error log {tmp_path / name} cannot be written (")
    assert message.endswith("): entries are lost, the calls go on")


FULL = """
import resource, signal, sqlite3, sys
from fusion_contracts.loop.log import ErrorLog

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with ErrorLog(sys.argv[1]) as log:
    log.record(run="r", action="before")
    log.flush()
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    for _ in range(300):
        log.record(run="r", action="full" + "x" * 150)
    log.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    log.record(run="r", action="after")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are Unix's")
def test_a_full_disk_loses_its_batch_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", FULL, path], check=True, timeout=60, capture_output=True, encoding="utf-8"
    )
    warning = f"The error log {path} cannot be written (OperationalError: disk I/O error)"
    assert done.stderr == f"{warning}: entries are lost, the calls go on\n"
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = [row[0] for row in file.execute("SELECT action FROM fusion_calls ORDER BY time_us, id")]
    assert (found[0], found[-1]) == ("before", "after")
    assert len(found) < 302
