"""An error log that several threads or processes write, and one that opens again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace

import pytest
from keeping import rows_of

from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.log.sinks import json_lines
from fusion_contracts.loop.log.sinks.sqlite import SqliteSink
from fusion_contracts.loop.log.writer import attempt


def test_threads_share_a_log(tmp_path: Path) -> None:
    with ErrorLog(tmp_path / "log.sqlite") as log:

        def tell() -> None:
            for _ in range(200):
                log.record(run="r", action="close")

        threads = [Thread(target=tell) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = rows_of(tmp_path / "log.sqlite")
    assert len({row[0] for row in rows}) == len({row[1] for row in rows}) == 1600


WORKER = """
import sys
from pathlib import Path
from fusion_contracts.loop.log import ErrorLog

path, name = Path(sys.argv[1]), sys.argv[2]
with ErrorLog(path / "log.sqlite", path / "log.jsonl") as log:
    for _ in range(200):
        log.record(run=name, action="close")
"""


def test_processes_share_a_log(tmp_path: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path), f"p{number}"]) for number in range(4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0] * 4
    runs = sorted(row[2] for row in rows_of(tmp_path / "log.sqlite"))
    assert runs == sorted(f"p{number}" for number in range(4) for _ in range(200))
    lines = (tmp_path / "log.jsonl").read_text(encoding="ascii").splitlines()
    assert sorted(json.loads(line)["run"] for line in lines) == runs


def test_a_new_file_is_waited_for_that_others_make_at_the_same_time(tmp_path: Path) -> None:
    """SQLite refuses at once where two turn the same file into write-ahead mode."""
    for number in range(40):
        sinks = [SqliteSink(tmp_path / f"{number}.sqlite") for _ in range(6)]
        barrier = Barrier(len(sinks))
        problems: list[str | None] = []

        def write(sink: SqliteSink, together: Barrier = barrier, told: list[str | None] = problems) -> None:
            together.wait(60)
            told.append(attempt(sink, []))
            sink.close()

        threads = [Thread(target=write, args=(sink,)) for sink in sinks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == [None] * len(sinks)


def test_a_line_that_is_just_being_written_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an empty line would stand between two whole ones."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"run":', encoding="ascii")
    looks: list[float] = []

    def another(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            with log.open("a", encoding="ascii") as file:
                file.write('"other"}\n')

    monkeypatch.setattr(json_lines, "time", SimpleNamespace(sleep=another))
    with ErrorLog(log) as ours:
        ours.record(run="ours", action="close")
    lines = log.read_text(encoding="ascii").splitlines()
    assert [json.loads(line)["run"] for line in lines] == ["other", "ours"]
    assert len(looks) == 2


def test_a_forked_process_goes_on_with_a_sink_of_its_own(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "log.sqlite")
    log.record(run="parent", action="close")
    log.flush()
    child = os.fork()
    if not child:
        log.record(run="child", action="close")
        log.close()
        os.kill(os.getpid(), signal.SIGKILL)  # nothing of pytest's may run here
    os.waitpid(child, 0)
    log.record(run="after", action="close")
    log.close()
    assert [row[2] for row in rows_of(tmp_path / "log.sqlite")] == ["parent", "child", "after"]


def test_a_log_that_was_closed_opens_again(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "log.sqlite")
    for run in ("1", "2"):
        log.record(run=run, action="close")
        log.close()
    assert [row[2] for row in rows_of(tmp_path / "log.sqlite")] == ["1", "2"]
