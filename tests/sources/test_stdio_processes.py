"""Live servers over stdio: nothing that one started is left running."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from reading import Scripted, failure
from waiting import in_its_time, left_running

from fusion_contracts.sources import process
from fusion_contracts.sources.base import Options


def running_in(file: Path) -> list[int]:
    """The processes named in a file that run on."""
    return left_running(map(int, file.read_text(encoding="ascii").split()))


def test_a_child_of_the_server_ends_with_it(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    scripted("parent", str(file)).read(options)
    assert running_in(file) == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells whose child a process is")
def test_a_child_in_a_session_of_its_own_ends_too(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    scripted("parent", str(file), "--away").read(options)
    assert running_in(file) == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells the environment of a process")
def test_a_child_that_cut_its_ties_ends_too(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    scripted("daemon", str(file)).read(options)
    assert running_in(file) == []


def test_a_child_ends_when_the_server_died_first(scripted: Scripted, options: Options, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    problem = failure(scripted("parent", str(file), "--die"), options)
    assert problem.message == "stopped before it answered initialize (exit status 1), twice"
    assert running_in(file) == []


def test_a_server_that_ignores_polite_signals_is_ended(
    scripted: Scripted, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def left(seconds: float) -> str:
        monkeypatch.setattr(process, "_GRACE_EOF", seconds)
        scripted("stubborn", str(tmp_path / "mark")).read(options)
        return (tmp_path / "mark").read_text(encoding="ascii")

    in_its_time(left, lambda _: "input ended", first=process._GRACE_EOF)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_us_ends_the_server_first(servers: Path, tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "pids"
    code = (
        "import sys\n"
        "from fusion_contracts.sources.base import Options\n"
        "from fusion_contracts.sources.stdio import StdioSource\n"
        "print('reading', flush=True)\n"
        "try:\n"
        "    StdioSource(tuple(sys.argv[1:])).read(Options())\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    command = [sys.executable, str(servers / "parent.py"), str(file), "--hang"]
    with subprocess.Popen([sys.executable, "-c", code, *command], stdout=subprocess.PIPE) as ours:
        while not (file.exists() and len(file.read_text(encoding="ascii").split()) == 2):  # ends when the server is up
            assert ours.poll() is None
        ours.send_signal(number)
        assert ours.wait() == 128 + number
    assert running_in(file) == []
