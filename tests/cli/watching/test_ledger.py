"""What is kept of what was posted: whole or not at all, by one watch at a time."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.cli.watching.ledger import Ledger, Pending, Standing, default_place
from fusion_contracts.errors import FusionError


def standing(key: str) -> Standing:
    return Standing(key, "pages", {"message": key}, "2026-11-30T03:12:00Z", "abc")


def told(word: str) -> dict[str, Any]:
    return {"id": word}


def words(ledger: Ledger) -> list[str]:
    return [one["id"] for one in ledger.events(ledger.pending()).values()]


def pending(seq: int, key: str, word: str, *taken: str, opens: bool = True) -> Pending:
    return Pending(seq, key, opens, len(json.dumps(told(word))), frozenset(taken))


def test_what_begins_and_what_is_over_survives_a_restart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ledger.change([(standing("a"), told("a begins")), (standing("b"), told("b begins"))], {})
    ledger.trying([1, 2])
    ledger.took([(1, "stdout")], {"stdout"})
    ledger.change([], {"a": told("a is over")})
    ledger.close()
    again = Ledger(tmp_path / "state")
    assert again.standing() == {"b": standing("b")}
    assert list(again.pending().values()) == [
        pending(2, "b", "b begins"), pending(3, "a", "a is over", opens=False)
    ]  # fmt: skip
    assert words(again) == ["b begins", "a is over"]


def test_what_is_known_is_not_read_again_and_what_is_gone_is_not_there(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ledger.change([(standing("a"), told("a begins")), (standing("b"), told("b begins"))], {})
    known = ledger.pending()
    ledger.change([(standing("c"), told("c begins"))], {"a": told("a is over")})
    ledger.took([(2, "stdout")], {"stdout", "webhook:x"})  # whoever asks noted that too
    assert ledger.pending(known) == {2: known[2], 3: pending(3, "c", "c begins")}
    assert ledger.pending()[2] == pending(2, "b", "b begins", "stdout")


def test_nobody_is_told_that_something_is_over_of_which_nobody_was_told(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ledger.change([(standing("a"), told("a begins"))], {})
    ledger.change([], {"a": told("a is over")})
    assert (ledger.standing(), words(ledger)) == ({}, [])


def test_whoever_may_have_been_told_is_told_that_it_is_over(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ledger.change([(standing("a"), told("a begins"))], {})
    ledger.trying([1])
    ledger.change([], {"a": told("a is over")})
    assert words(ledger) == ["a begins", "a is over"]


def test_an_event_stays_until_everybody_took_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ledger.change([(standing("a"), told("a begins"))], {})
    everybody = {"stdout", "webhook:x"}
    ledger.took([(1, "stdout")], everybody)
    assert ledger.pending() == {1: pending(1, "a", "a begins", "stdout")}
    ledger.took([(1, "webhook:x")], everybody)
    assert ledger.pending() == {}


def test_a_second_watch_is_refused_until_the_first_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fusion_contracts.cli.watching.ledger._PATIENCE", 0.01)
    path = tmp_path / "state"
    first = Ledger(path)
    with pytest.raises(FusionError) as caught:
        Ledger(path)
    assert str(caught.value) == f"another watch keeps {path}; end it, or name another file with --state"
    first.close()
    Ledger(path).close()


HOLDS = """
import sys
from pathlib import Path
from fusion_contracts.cli.watching.ledger import Ledger, Standing
ledger = Ledger(Path(sys.argv[1]))
ledger.change([(Standing("a", "pages", {}, "then", ""), {"id": "a begins"})], {})
ledger._db.execute("BEGIN EXCLUSIVE")
ledger._db.execute("DELETE FROM standing")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_watch_that_is_killed_in_a_change_leaves_the_file_whole_and_free(tmp_path: Path) -> None:
    path = tmp_path / "state"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stdin.close()
    again = Ledger(path)
    assert list(again.standing()) == ["a"]
    assert words(again) == ["a begins"]
    again.close()


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_text("notes of mine, quite long enough to be no header of a database\n" * 20, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(FusionError) as caught:
        Ledger(path)
    assert str(caught.value) == (
        f"{path} does not hold what a watch posted; name another file with --state, or remove it: then all that stands"
        " is posted anew"
    )
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE errors (id INTEGER)")
    with pytest.raises(FusionError) as caught:
        Ledger(path)
    assert str(caught.value) == f"{path} is a database of something else; name another file with --state"
    assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("errors",)]
    database.close()


def test_the_file_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(FusionError) as caught:
        Ledger(path)
    assert str(caught.value) == (
        f"{path} is of a newer release; update fusion-contracts, or name another file with --state"
    )


def test_a_folder_that_is_not_there_and_a_link_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FusionError) as caught:
        Ledger(tmp_path / "no" / "state")
    assert str(caught.value) == (
        f"cannot keep what was posted in {tmp_path}/no/state: no such file or directory; make its folder, or name"
        " another file with --state"
    )
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FusionError, match="link is a symbolic link; name the file itself"):
        Ledger(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_each_lock_has_a_file_of_its_own_which_git_does_not_see(tmp_path: Path) -> None:
    places = [default_place(tmp_path, lockfile) for lockfile in ("fusion.lock", "locks/other.lock")]
    folder = tmp_path / ".fusion" / "watch"
    assert places == [folder / "fusion.lock.sqlite", folder / "locks-other.lock.sqlite"]
    assert (folder / ".gitignore").read_text(encoding="utf-8") == "*\n"
    Ledger(places[0]).close()
    assert places[0].stat().st_mode & 0o077 == 0


def test_a_folder_behind_a_link_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / ".fusion").symlink_to(tmp_path / "away")
    with pytest.raises(FusionError) as caught:
        default_place(tmp_path, "fusion.lock")
    assert str(caught.value) == (f"{tmp_path}/.fusion/watch is reached by a symbolic link; name a file with --state")
    assert list((tmp_path / "away").iterdir()) == []
