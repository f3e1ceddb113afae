"""`fusion report`: from a log to a report, and what it refuses."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from scripted_runs import scripted, tell

from fusion_contracts.cli.app import run
from fusion_contracts.loop.log import ErrorLog


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of two releases at the default place, which the command is run beside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    moments = iter(range(1_793_000_000, 1_794_000_000, 60))
    with ErrorLog(clock=lambda: next(moments)) as told:
        for number, release in enumerate(("2.0", "2.1")):
            tell(told, scripted(10, number, release).calls)
    return tmp_path / ".fusion" / "log.sqlite"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["report", *arguments]) == 0
    done = capsys.readouterr()
    assert done.err == ""
    return done.out


def test_the_log_at_its_place_is_reported(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys)
    assert text.startswith("Usability of 4 actions of 2 servers  (.fusion/log.sqlite)\n2026-10-26 07:33 to ")
    assert text == output(capsys, str(log)).replace(str(log), ".fusion/log.sqlite")


def test_servers_are_selected(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "-s", "ma*").startswith("Usability of 2 actions of mail  (")
    assert output(capsys, "-s", "none") == "Usability of 0 actions  (.fusion/log.sqlite)\nno calls\nNo calls.\n"


def test_since_leaves_out_what_came_before(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(output(capsys, "--format", "json"))["periods"][0]
    part = json.loads(output(capsys, "--format", "json", "--since", "2026-10-26T10:00"))["periods"][0]
    assert part["label"] == "since 2026-10-26T10:00"
    assert whole["first_us"] < part["since_us"] <= part["first_us"]
    assert part["last_us"] == whole["last_us"]


def test_releases_are_compared(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(output(capsys, "--compare", "2.0", "2.1", "--format", "json"))
    told = [(period["label"], period["total"]["calls"]) for period in document["periods"]]
    truth = [sum(one.calls for one in scripted(10, number, name).truth.values()) for number, name in enumerate("AB")]
    assert told == [("2.0", truth[0]), ("2.1", truth[1])]
    assert "ERROR RATE BY ACTION" in output(capsys, "--compare", "2.0", "2.1")


def test_periods_are_compared(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--compare", "..2026-10-26T10:00", "2026-10-26T10:00..", "--format", "json")
    old, new = json.loads(output(capsys, *arguments))["periods"]
    (whole,) = json.loads(output(capsys, "--format", "json"))["periods"]
    assert old["total"]["calls"] + new["total"]["calls"] == whole["total"]["calls"]
    assert old["last_us"] < new["since_us"] <= new["first_us"]


@pytest.mark.parametrize(("form", "start"), [("markdown", "## Usability"), ("html", "<!doctype html>"), ("json", "{")])
def test_a_report_is_written_into_a_file(
    form: str, start: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output(capsys, "--format", form, "-o", "report.out") == ""
    text = Path("report.out").read_text(encoding="utf-8")
    assert text.startswith(start)
    assert text == output(capsys, "--format", form)


def test_a_terminal_sees_colour_and_its_width(log: Path) -> None:
    reader, writer = pty.openpty()
    command = [str(Path(sys.executable).with_name("fusion")), "report"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    subprocess.run(command, stdout=writer, env=environment, check=True)
    os.close(writer)
    text = os.read(reader, 65_536).decode()
    os.close(reader)
    assert text.startswith("\x1b[1mUsability of 4 actions of 2 servers\x1b[0m  (.fusion/log.sqlite)\r\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.sqlite"], "fusion: there is no log at none.sqlite; name one: fusion report LOG"),
        (["--since", "soon"], "fusion: soon is no time; write 7d, 24h, 2026-11-01 or 2026-11-01T08:00"),
        (["--compare", "..", "2.1"], "fusion: .. is no period; write A..B, A.. or ..B"),
        (["-o", ".fusion/log.sqlite", ".fusion/log.sqlite"],
         "fusion: a report would take the place of .fusion/log.sqlite; name a file of its own for it"),
        ([".fusion/*.sqlite", "-o", ".fusion/log.sqlite"],
         "fusion: a report would take the place of .fusion/log.sqlite; name a file of its own for it"),
        (["lines.jsonl", "-o", ".fusion/log.sqlite"],
         "fusion: a report would take the place of .fusion/log.sqlite; name a file of its own for it"),
        (["-o", ".fusion/log.sqlite"],
         "fusion: a report would take the place of .fusion/log.sqlite; name a file of its own for it"),
    ],
)  # fmt: skip
def test_what_cannot_be_reported_is_refused(
    arguments: list[str], said: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = log.read_bytes()
    assert run(["report", *arguments]) == 2
    assert capsys.readouterr().err == f"{said}\nexit 2: could not check\n"
    assert log.read_bytes() == before


def test_a_report_takes_the_place_of_no_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither of one that a pattern reads, nor of a database that is not read at all."""
    for name in ("a.jsonl", "b.jsonl", "other.sqlite"):
        with ErrorLog(name) as told:
            told.record(run="1", action="close")
    for arguments in (("*.jsonl", "-o", "a.jsonl"), ("a.jsonl", "-o", "other.sqlite")):
        before = Path(arguments[-1]).read_bytes()
        assert run(["report", *arguments]) == 2
        assert capsys.readouterr().err.startswith(f"fusion: a report would take the place of {arguments[-1]}; ")
        assert Path(arguments[-1]).read_bytes() == before
    Path("report.md").write_text("an older one", encoding="ascii")
    assert output(capsys, "a.jsonl", "-o", "report.md", "--format", "markdown") == ""


def test_the_help_says_what_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--help"]) == 0
    text = capsys.readouterr().out
    for said in ("--since", "--compare A B", "fusion-contracts[report]", "[default: .fusion/log.sqlite]"):
        assert said in text
