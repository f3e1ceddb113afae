"""`fusion lock --resume`: a run that was killed goes on where it ended, and nothing that it started is left."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from waiting import is_running, until


class Fleet:
    """Quick servers `a0` to `a3`, and servers `b0` to `b2` that answer once they may."""

    def __init__(self, folder: Path, servers: Path) -> None:
        self.folder, self.pids = folder / "project", folder / "pids"
        self.folder.mkdir()
        self.pids.mkdir()
        self.entries: dict[str, Any] = {
            **{f"a{at}": {"command": sys.executable, "args": [str(servers / "plain.py")]} for at in range(4)},
            **{
                f"b{at}": {"command": sys.executable, "args": [str(servers / "waits.py"), str(self.pids)]}
                for at in range(3)
            },
        }
        self.write()

    def write(self) -> None:
        (self.folder / "mcp.json").write_text(json.dumps({"mcpServers": self.entries}))

    def start(self, *options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fusion_contracts", "lock", "mcp.json", *options]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, stdout=pipe, stderr=pipe, text=True)

    def run(self, *options: str) -> tuple[int, str, str]:
        with self.start(*options) as ours:
            out, err = ours.communicate()
        return ours.returncode, out, err

    def kept(self) -> int:
        """How many servers the journal holds."""
        file = self.folder / "fusion.lock.journal" / "servers.jsonl"
        return max(0, file.read_bytes().count(b"\n") - 1) if file.exists() else 0

    def waiting(self) -> list[int]:
        return [int(file.name) for file in self.pids.iterdir() if file.name.isdigit()]

    def cut_short(self, number: signal.Signals, *options: str) -> str:
        """Run until the quick servers are listed and the others begun, then send a signal; what was told."""
        with self.start(*options) as ours:
            until(lambda: self.kept() == 4 and len(self.waiting()) == 3, "the quick ones are listed")
            ours.send_signal(number)
            out, err = ours.communicate()
        assert out == ""
        until(lambda: not any(map(is_running, self.waiting())), "nothing is left running")
        (self.pids / "go").touch()
        return err

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


def asked(err: str) -> list[str]:
    return sorted(re.findall(r"^(\w+): starting ", err, re.MULTILINE))


@pytest.fixture
def fleet(tmp_path: Path, root: Path) -> Fleet:
    """A project whose servers are told when to answer."""
    return Fleet(tmp_path, root / "fixtures" / "servers")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing ends what a killed run has started")
def test_a_killed_run_goes_on_with_the_rest_alone(fleet: Fleet) -> None:
    fleet.cut_short(signal.SIGKILL, "--resume")
    assert fleet.files() == ["fusion.lock.journal", "mcp.json"]
    code, out, err = fleet.run("--resume")
    assert (code, out) == (0, "wrote fusion.lock: 7 servers, 15 tools\n"), err
    assert asked(err) == ["b0", "b1", "b2"]
    assert re.match(r"4 of 7 servers listed by the run of 20\d\d-\d\d-\d\d \d\d:\d\d UTC: not read again\n", err)
    assert fleet.files() == ["fusion.lock", "fusion.toml", "mcp.json"]
    locked = (fleet.folder / "fusion.lock").read_bytes()
    (fleet.folder / "fusion.lock").unlink()
    code, out, err = fleet.run()  # all of them at once, without a journal
    assert asked(err) == sorted(fleet.entries)
    assert (fleet.folder / "fusion.lock").read_bytes() == locked


def test_an_interrupted_run_says_how_to_go_on(fleet: Fleet) -> None:
    err = fleet.cut_short(signal.SIGINT, "--resume")
    assert err.splitlines()[-2:] == [
        "note: 4 servers listed so far: fusion.lock.journal keeps them, and --resume goes on from there",
        "exit 130: interrupted; nothing was written",
    ]
    assert asked(fleet.run("--resume")[2]) == ["b0", "b1", "b2"]


def test_without_the_option_all_are_asked_and_it_says_what_it_could_have_done(fleet: Fleet) -> None:
    fleet.cut_short(signal.SIGINT, "--resume")
    code, _, err = fleet.run()
    assert code == 0
    assert err.splitlines()[0] == (
        "note: what fusion.lock.journal holds of a run that was cut short is listed again: "
        "--resume would have gone on with it"
    )
    assert asked(err) == sorted(fleet.entries)
    assert fleet.files() == ["fusion.lock", "fusion.toml", "mcp.json"]


def test_a_server_whose_source_changed_meanwhile_is_asked_again(fleet: Fleet) -> None:
    fleet.cut_short(signal.SIGINT, "--resume")
    fleet.entries["a1"]["args"].append("changed")
    del fleet.entries["a2"]
    fleet.write()
    code, out, err = fleet.run("--resume")
    assert (code, out) == (0, "wrote fusion.lock: 6 servers, 12 tools\n"), err
    assert asked(err) == ["a1", "b0", "b1", "b2"]
    assert err.startswith("2 of 6 servers listed by the run of ")


def test_a_lock_that_was_written_meanwhile_makes_it_stale(fleet: Fleet) -> None:
    fleet.cut_short(signal.SIGINT, "--resume")
    (fleet.folder / "fusion.lock").write_text("lock_version = 1\n")
    code, _, err = fleet.run("--resume")
    assert code == 0
    assert err.splitlines()[0] == "note: fusion.lock.journal is of another state of the lock, and is ignored"
    assert asked(err) == sorted(fleet.entries)


def test_a_run_whose_lock_another_wrote_meanwhile_keeps_nothing_to_go_on_with(fleet: Fleet) -> None:
    with fleet.start("--resume") as ours:
        until(lambda: fleet.kept() == 4, "the quick ones are listed")
        (fleet.folder / "fusion.lock").write_text("lock_version = 1\n")
        (fleet.pids / "go").touch()
        _, err = ours.communicate()
    assert ours.returncode == 2
    assert err.splitlines()[-2] == (
        "fusion: fusion.lock was changed while the servers were read; nothing was written; run it again"
    )
    assert "--resume" not in err
    assert fleet.files() == ["fusion.lock", "mcp.json"]


def test_what_failed_is_told_and_asked_again_the_next_time(fleet: Fleet) -> None:
    """A run that comes to its end leaves no journal, whatever it found."""
    (fleet.pids / "go").touch()
    fleet.entries["gone"] = {"command": "no-such-program"}
    fleet.write()
    code, out, _ = fleet.run("--resume")
    assert (code, out) == (2, "exit 2: wrote fusion.lock: 7 servers, 15 tools; 1 server not read\n")
    assert fleet.files() == ["fusion.lock", "fusion.toml", "mcp.json"]
    assert asked(fleet.run("--resume")[2]) == sorted(fleet.entries)


def test_a_fleet_is_kept_without_being_asked_to(fleet: Fleet) -> None:
    """A hundred servers take minutes: who runs them need not have thought of it."""
    gone = {f"c{at:02}": {"command": "no-such-program"} for at in range(93)}
    fleet.entries |= gone
    fleet.write()
    err = fleet.cut_short(signal.SIGTERM)
    assert err.splitlines()[-2:] == [
        "note: 4 servers listed so far: fusion.lock.journal keeps them, and --resume goes on from there",
        "exit 143: ended by SIGTERM; nothing was written",
    ]
    assert asked(fleet.run("--resume")[2]) == sorted({"b0", "b1", "b2", *gone})


def test_a_check_has_nothing_to_resume(fleet: Fleet) -> None:
    (fleet.pids / "go").touch()
    fleet.run()
    said = "fusion: --resume goes on with writing the lock, and --check only reads; give one of the two\n"
    assert fleet.run("--check", "--resume") == (2, "", f"{said}exit 2: could not check\n")


def test_two_runs_do_not_share_a_journal(fleet: Fleet) -> None:
    with fleet.start("--resume") as first:
        until(lambda: fleet.kept() == 4, "the first has a journal")
        code, out, err = fleet.run("--resume")
        (fleet.pids / "go").touch()
        first.communicate()
    assert (code, out) == (2, "")
    assert err == "fusion: another run keeps fusion.lock.journal; wait for it, or end it\nexit 2: could not check\n"
    assert first.returncode == 0


def test_without_the_extra_a_scheduler_is_a_sentence(fleet: Fleet) -> None:
    code = "import sys; sys.modules['distributed'] = None; from fusion_contracts.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "lock", "mcp.json", "--scheduler", "tcp://127.0.0.1:1"]
    done = subprocess.run(command, cwd=fleet.folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "fusion: --scheduler needs the package distributed, which is not here; install fusion-contracts[cluster]\n"
        "exit 2: could not check\n"
    )
    assert fleet.files() == ["mcp.json"]
