"""The journal of a run: what it takes over, what it does not, and that no crash spoils it."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources import journal as journal_module
from fusion_contracts.sources.base import Options, VolatileRule
from fusion_contracts.sources.environment import Beside
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.journal import Journal, key_of
from fusion_contracts.sources.offered import Filter
from fusion_contracts.sources.stdio import StdioSource
from fusion_contracts.sources.unit import Answer, Task, work

Scripted = Callable[..., StdioSource]


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """Where the lock will be; the journal lies beside it."""
    return tmp_path / "fusion.lock"


@pytest.fixture(scope="module")
def answers(servers: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """Real answers of real servers: with prompts and resources, with candidates, with refused tools, with a problem."""
    folder = tmp_path_factory.mktemp("project")

    def answer(name: str) -> Answer:
        source = StdioSource((sys.executable, str(servers / f"{name}.py")))
        return work(Task(source, Options(folder, name, timeout=600.0), twice=True))

    return {name: answer(name) for name in ("plain", "changing", "malformed", "failing", "dies")}


def write(lock: Path, answers: dict[str, Answer], text: str | None = None) -> Path:
    journal = Journal.opened(lock, text, resume=False)
    for name, answer in answers.items():
        journal.add(name, answer)
    journal.close()
    return journal.folder / "servers.jsonl"


def taken(lock: Path, text: str | None = None) -> tuple[dict[str, Answer], str]:
    journal = Journal.opened(lock, text, resume=True)
    journal.close()
    return journal.answers, journal.note


def test_every_answer_comes_back_as_it_was_but_problems(lock: Path, answers: dict[str, Answer]) -> None:
    assert [name for name, answer in answers.items() if answer.problem] == ["dies"]
    assert answers["changing"].volatile
    assert answers["malformed"].reading is not None
    assert answers["malformed"].reading.refused
    write(lock, answers)
    found, note = taken(lock)
    assert note == ""
    assert found == {name: answer for name, answer in answers.items() if name != "dies"}


def test_it_stays_out_of_git(lock: Path, answers: dict[str, Answer]) -> None:
    write(lock, answers)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=lock.parent, check=True, capture_output=True)
    listed = subprocess.run(["git", "ls-files"], cwd=lock.parent, check=True, capture_output=True, text=True)
    assert listed.stdout == ""


def test_a_line_that_was_cut_short_does_not_count_and_the_next_run_writes_over_it(
    lock: Path, answers: dict[str, Answer]
) -> None:
    file = write(lock, {name: answers[name] for name in ("plain", "failing")})
    whole = file.read_bytes()
    first = whole.index(b"\n", whole.index(b"\n") + 1) + 1  # the end of the first server's line
    for cut in range(first, len(whole), 97):
        file.write_bytes(whole[:cut])
        assert taken(lock) == ({"plain": answers["plain"]}, "")
    file.write_bytes(whole[:-1])
    journal = Journal.opened(lock, None, resume=True)
    journal.add("failing", answers["failing"])
    assert journal.close() == 2
    assert file.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"\0" * 4096, b"[]\n", b'{"key": 1}\n', b'{"key": "a", "contracts": 7}\n', b"\xff\n"])
def test_whatever_stands_behind_the_last_good_line_does_not_count(
    lock: Path, answers: dict[str, Answer], tail: bytes
) -> None:
    file = write(lock, {"plain": answers["plain"]})
    whole = file.read_bytes()
    file.write_bytes(whole + tail)
    assert taken(lock) == ({"plain": answers["plain"]}, "")
    assert file.read_bytes() == whole


def test_another_state_of_the_lock_makes_it_stale(lock: Path, answers: dict[str, Answer]) -> None:
    file = write(lock, {"plain": answers["plain"]}, text="before")
    assert taken(lock, "after") == ({}, "fusion.lock.journal is of another state of the lock, and is ignored")
    assert taken(lock, "after") == ({}, "")  # it began anew
    assert file.read_bytes().count(b"\n") == 1


def test_another_release_does_not_read_it(lock: Path, answers: dict[str, Answer]) -> None:
    file = write(lock, {"plain": answers["plain"]})
    head, rest = file.read_text().split("\n", 1)
    file.write_text(f"{json.dumps({**json.loads(head), 'release': '0.0.1'})}\n{rest}")
    assert taken(lock) == ({}, "fusion.lock.journal is of another release, and is ignored")


def test_without_resume_it_begins_anew_and_says_so(lock: Path, answers: dict[str, Answer]) -> None:
    write(lock, {"plain": answers["plain"]})
    journal = Journal.opened(lock, None, resume=False)
    journal.close()
    said = "what fusion.lock.journal holds of a run that was cut short is listed again"
    assert journal.note == f"{said}: --resume would have gone on with it"
    assert taken(lock) == ({}, "")


def test_two_runs_do_not_share_it(lock: Path) -> None:
    journal = Journal.opened(lock, None, resume=True)
    with pytest.raises(FusionError) as caught:
        Journal.opened(lock, None, resume=True)
    journal.drop()
    assert caught.value.problem == Problem(
        None, "lock", f"another run keeps {lock}.journal", "wait for it, or end it"
    )
    assert list(lock.parent.iterdir()) == []


def test_what_another_run_took_away_meanwhile_is_not_written_to(
    lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Journal.opened(lock, None, resume=True)
    locked = journal_module._locked

    def late(file: IO[bytes]) -> bool:
        other.drop()
        return locked(file)

    monkeypatch.setattr(journal_module, "_locked", late)
    with pytest.raises(FusionError, match="another run keeps"):
        Journal.opened(lock, None, resume=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_costs_the_rest_and_counts_what_is_there(lock: Path, answers: dict[str, Answer]) -> None:
    journal = Journal.opened(lock, None, resume=True)
    journal.add("plain", answers["plain"])
    assert journal._file is not None
    with Path("/dev/full").open("r+b", buffering=0) as full:
        os.dup2(full.fileno(), journal._file.fileno())
    journal.add("failing", answers["failing"])
    journal.add("changing", answers["changing"])
    assert journal.close() == 1
    assert taken(lock) == ({"plain": answers["plain"]}, "")


def test_a_link_in_its_place_is_not_followed(lock: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path(f"{lock}.journal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FusionError) as caught:
        Journal.opened(lock, None, resume=True)
    assert caught.value.problem.message == f"cannot keep {lock}.journal: it is a symbolic link"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_inside_is_not_written_through(lock: Path, tmp_path: Path) -> None:
    folder = Path(f"{lock}.journal")
    folder.mkdir()
    (tmp_path / "elsewhere").write_text("kept")
    (folder / ".gitignore").symlink_to(tmp_path / "elsewhere")
    Journal.opened(lock, None, resume=False).drop()
    assert (tmp_path / "elsewhere").read_text() == "kept"
    assert not folder.exists()
    folder.mkdir()
    (folder / "servers.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FusionError):
        Journal.opened(lock, None, resume=False)
    assert (tmp_path / "elsewhere").read_text() == "kept"


def test_what_was_cut_short_at_once_counts_for_nothing(lock: Path) -> None:
    folder = Path(f"{lock}.journal")
    folder.mkdir()
    (folder / "servers.jsonl").write_bytes(b'{"journal": 1, "rel')
    assert taken(lock) == ({}, "")


def test_what_a_lock_cannot_hold_is_listed_again(lock: Path, scripted: Scripted, options: Options) -> None:
    answer = work(Task(scripted("plain"), options))
    assert answer.reading is not None
    (contract,) = answer.reading.contracts
    broken = replace(contract, instructions="half a character: \ud800")
    assert write(lock, {"a": Answer(replace(answer.reading, contracts=(broken,)))}).read_bytes().count(b"\n") == 1


RULE = VolatileRule("*", "", "/instructions", "[0-9]+", "counts")
SAME: list[Callable[[Task], Task]] = [
    lambda task: replace(task, options=replace(task.options, timeout=1.0)),
    lambda task: replace(task, options=replace(task.options, memory=1)),
    lambda task: replace(task, options=replace(task.options, announced=True)),
    lambda task: pickle.loads(pickle.dumps(task)),
    lambda task: replace(task, source=replace(stdio(task), env={"A": "other ${B}"})),
]
OTHER: list[Callable[[Task], Task]] = [
    lambda task: replace(task, options=replace(task.options, name="other")),
    lambda task: replace(task, options=replace(task.options, volatile=(RULE,))),
    lambda task: replace(task, options=replace(task.options, protocol_version="2025-06-18")),
    lambda task: replace(task, options=replace(task.options, environ=Beside({"A": "b"}))),
    lambda task: replace(task, twice=True),
    lambda task: replace(task, source=HttpSource("https://example.org/mcp")),
    lambda task: replace(task, source=replace(stdio(task), command=("b",))),
    lambda task: replace(task, source=replace(stdio(task), env={"A": "${C}"})),
    lambda task: replace(task, source=replace(stdio(task), pass_env=("D",))),
    lambda task: replace(task, source=replace(stdio(task), cwd="below")),
    lambda task: replace(task, source=replace(stdio(task), tools=Filter(frozenset({"a"})))),
    lambda task: replace(task, source=replace(stdio(task), tools=Filter(None, frozenset({"a"})))),
]


def stdio(task: Task) -> StdioSource:
    assert isinstance(task.source, StdioSource)
    return task.source


def plain_task() -> Task:
    return Task(StdioSource(("a",), {"A": "some ${B}"}), Options(name="a"))


@pytest.mark.parametrize("changed", SAME)
def test_what_does_not_shape_a_listing_is_in_no_key(changed: Callable[[Task], Task]) -> None:
    assert key_of(changed(plain_task())) == key_of(plain_task())


def test_whatever_else_a_source_says_is_in_the_key() -> None:
    keys = [key_of(plain_task()), *(key_of(changed(plain_task())) for changed in OTHER)]
    assert len(set(keys)) == 1 + len(OTHER)


def test_another_process_finds_the_same_key() -> None:
    code = (
        "from fusion_contracts.sources.base import Options; from fusion_contracts.sources.journal import key_of; "
        "from fusion_contracts.sources.stdio import StdioSource; from fusion_contracts.sources.unit import Task; "
        "print(key_of(Task(StdioSource(('a',), {'A': 'some ${B}'}), Options(name='a'))), end='')"
    )
    done: Any = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == key_of(plain_task())
