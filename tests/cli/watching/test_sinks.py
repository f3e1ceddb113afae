"""A file of events: each line whole, each event once, whatever cut the run before short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.cli.watching.events import line
from fusion_contracts.cli.watching.sinks import Lines, NotTakenError
from fusion_contracts.errors import FusionError

ONE: dict[str, Any] = {"id": "1", "event": "finding", "text": "a" * 50}
TWO: dict[str, Any] = {"id": "2", "event": "resolved"}


def test_events_are_lines_behind_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"mine": true}\n', encoding="utf-8")
    for one in (ONE, TWO):
        Lines(path).put(one)
    assert [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()] == [{"mine": True}, ONE, TWO]


@pytest.mark.parametrize("kept", range(1, len(line(TWO))))
def test_a_line_that_a_kill_cut_short_is_made_whole(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(line(ONE) + line(TWO)[:kept], encoding="utf-8")
    Lines(path).put(TWO)
    assert path.read_text(encoding="utf-8") == line(ONE) + line(TWO)


def test_a_line_that_was_written_and_not_noted_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(line(ONE) + line(TWO), encoding="utf-8")
    Lines(path).put(TWO)
    assert path.read_text(encoding="utf-8") == line(ONE) + line(TWO)


def test_of_several_lines_that_were_not_noted_none_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    three = {**TWO, "id": "3"}
    path.write_text(line(ONE) + line(TWO) + line(three)[:9], encoding="utf-8")
    for one in (ONE, TWO, three):
        Lines(path).put(one)
    assert path.read_text(encoding="utf-8") == line(ONE) + line(TWO) + line(three)


def test_half_a_line_of_somebody_else_stays_and_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("no end", encoding="utf-8")
    Lines(path).put(ONE)
    assert path.read_text(encoding="utf-8") == "no end\n" + line(ONE)


def test_a_file_that_was_rotated_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    sink = Lines(path)
    sink.put(ONE)
    path.rename(tmp_path / "log.1.jsonl")
    sink.put(TWO)
    assert path.read_text(encoding="utf-8") == line(TWO)


def test_a_name_is_the_place_and_not_how_it_is_written(tmp_path: Path) -> None:
    assert Lines(tmp_path / "a" / ".." / "log").name == Lines(tmp_path / "log").name == f"file:{tmp_path}/log"


def test_where_nothing_can_be_appended_it_is_said_at_once_and_later(tmp_path: Path) -> None:
    with pytest.raises(FusionError) as caught:
        Lines(tmp_path).require()
    assert str(caught.value) == f"cannot append to {tmp_path}: is a directory; check the path and its permissions"
    with pytest.raises(NotTakenError, match=r"^cannot append to it: no such file or directory$"):
        Lines(tmp_path / "gone" / "log").put(ONE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without a device that is always full")
def test_a_full_disk_leaves_the_event_for_later() -> None:
    with pytest.raises(NotTakenError, match=r"^cannot append to it: "):
        Lines(Path("/dev/full")).put(ONE)


def test_what_a_server_wrote_is_no_line_and_no_command(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    hostile = {**ONE, "text": "x\n::error::y ##[z] \u202e \u2028 \ud800"}
    Lines(path).put(hostile)
    (text,) = path.read_bytes().decode("ascii").splitlines()
    assert "##[" not in text
    assert json.loads(text) == hostile
