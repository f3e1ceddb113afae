"""Sources side by side: one order whatever finishes first, and nothing left running, whatever ends the reading."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest
from waiting import left_running, until

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources import running
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.environment import Beside
from fusion_contracts.sources.installed import release
from fusion_contracts.sources.parcel import packed, read_server, secrets_in
from fusion_contracts.sources.stdio import StdioSource
from fusion_contracts.sources.together import read_all
from fusion_contracts.sources.unit import Answer, Task, work

Scripted = Callable[..., StdioSource]


def running_in(folder: Path) -> list[int]:
    """The processes named in the files of a folder that run on."""
    return left_running(int(pid) for file in folder.iterdir() for pid in file.read_text(encoding="ascii").split())


def tasks(scripted: Scripted, options: Options, *names: str) -> list[Task]:
    return [Task(scripted(name), replace(options, name=f"{at}-{name}")) for at, name in enumerate(names)]


def names(answers: list[Answer]) -> list[str | None]:
    return [answer.reading.contracts[0].name if answer.reading else None for answer in answers]


def test_answers_are_in_the_order_of_the_tasks(scripted: Scripted, options: Options) -> None:
    done: list[Answer] = []
    work_list = tasks(scripted, options, "fragile", "plain", "dies", "stateless")
    answers = read_all(work_list, jobs=4, done=lambda _, answer: done.append(answer))
    assert names(answers) == ["0-fragile", "1-plain", None, "3-stateless"]
    assert answers[2].problem is not None
    assert answers[2].problem.server == "2-dies"
    assert sorted(map(id, done)) == sorted(map(id, answers))
    assert answers == read_all(work_list, jobs=1)


def test_a_mistake_of_ours_costs_one_task_alone(
    scripted: Scripted, options: Options
) -> None:
    work_list = tasks(scripted, options, "plain", "plain", "plain")
    broken = replace(work_list[1], options=replace(work_list[1].options, root=None))  # type: ignore[arg-type]
    answers = read_all([work_list[0], broken, work_list[2]])
    assert names(answers) == ["0-plain", None, "2-plain"]
    problem = answers[1].problem
    assert problem is not None
    assert problem.server == "1-plain"
    assert problem.next.startswith("run it again with --debug, and report what it prints at https://")
    assert problem.message.startswith("a fault in fusion-contracts: ")


def test_another_executor_reads_in_other_processes(
    scripted: Scripted, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_list = [replace(one, twice=True) for one in tasks(scripted, options, "changing", "dies", "plain")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        answers = read_all(work_list, executor=processes)
    assert names(answers) == ["0-changing", None, "2-plain"]
    assert [len(answer.volatile) for answer in answers] == [2, 0, 0]
    assert answers[2].reading == work(work_list[2]).reading


def test_a_task_takes_no_environment_along(
    scripted: Scripted, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task(scripted("plain"), options)
    monkeypatch.setenv("ONLY_HERE", "and nowhere else")
    travelled = pickle.dumps(task)
    assert b"nowhere else" not in travelled
    assert pickle.loads(travelled).options.environ is os.environ
    given = Task(task.source, replace(options, environ={"A": "b"}))
    assert pickle.loads(pickle.dumps(given)).options.environ == {"A": "b"}


class Raising:
    """A source that ends everything, as a signal does."""

    kind, live, label, record = "stdio", True, "raising", None

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number

    def read(self, options: Options) -> Reading:
        del options
        while len(list(self.folder.iterdir())) < self.number:
            time.sleep(0.01)
        raise KeyboardInterrupt


def test_what_ends_one_ends_all_and_reading_is_possible_again(
    scripted: Scripted, options: Options, tmp_path: Path
) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    hanging = [Task(scripted("parent", str(folder / str(at)), "--hang"), options) for at in range(5)]
    with pytest.raises(KeyboardInterrupt):
        read_all([*hanging, Task(Raising(folder, 5), options), *hanging], jobs=6)
    assert running_in(folder) == []
    assert not running.stopping()
    assert names([work(Task(scripted("plain"), options))]) == ["plain"]


def test_nothing_begins_while_everything_ends(scripted: Scripted, options: Options) -> None:
    running.stop()
    try:
        with pytest.raises(FusionError) as caught:
            scripted("plain").read(options)
    finally:
        running.ready()
    assert caught.value.problem == Problem(
        "plain", "start", "was not read: the command was interrupted", "run it again"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("started", [1, 16])
def test_a_signal_ends_sixteen_servers_and_leaves_the_lock(
    servers: Path, tmp_path: Path, number: signal.Signals, started: int
) -> None:
    """Also in the middle of the starts: the first of them is up when the signal comes."""
    folder = tmp_path / "pids"
    folder.mkdir()
    entries = {
        f"s{at:02}": {"command": sys.executable, "args": [str(servers / "parent.py"), str(folder / str(at)), "--hang"]}
        for at in range(40)
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": entries}))
    command = [sys.executable, "-m", "fusion_contracts", "lock", "mcp.json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ours:
        while len(list(folder.iterdir())) < started:
            assert ours.poll() is None
            time.sleep(0.002)
        ours.send_signal(number)
        out, err = ours.communicate()
    assert ours.returncode == 128 + number
    assert running_in(folder) == []
    how = "interrupted" if number == signal.SIGINT else "ended by SIGTERM"
    assert err.splitlines()[-1] == f"exit {128 + number}: {how}; nothing was written"
    assert "starting it once more" not in err
    assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mcp.json", "pids"]


def test_a_signal_ends_the_wait_for_urls_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        entries = {f"u{at}": {"url": f"http://127.0.0.1:{port}/{at}"} for at in range(4)}
        (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": entries}))
        command = [sys.executable, "-m", "fusion_contracts", "lock", "mcp.json", "--timeout", "500"]
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as ours:
            held = [silent.accept()[0] for _ in range(4)]
            ours.send_signal(signal.SIGINT)
            _, err = ours.communicate(timeout=60)
        for one in held:
            one.close()
    assert ours.returncode == 130
    assert err.splitlines()[-1] == "exit 130: interrupted; nothing was written"


class Counting:
    """A source that notes how many of its kind are read at a time; each waits until `number` are, or has waited."""

    kind, live, label, record = "stdio", True, "counting", None

    def __init__(self, number: int) -> None:
        self.barrier = threading.Barrier(number)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def read(self, options: Options) -> Reading:
        del options
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.barrier.wait(30)
        with self.lock:
            self.now -= 1
        return Reading()


def test_as_many_as_jobs_are_read_at_a_time_and_no_more(options: Options) -> None:
    source = Counting(3)
    answers = read_all([Task(source, options)] * 9, jobs=3)
    assert source.most == 3
    assert answers == [Answer(Reading())] * 9


def test_a_second_signal_makes_it_faster_and_leaves_nothing(servers: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    entries = {
        f"s{at}": {"command": sys.executable, "args": [str(servers / "parent.py"), str(folder / str(at)), "--hang"]}
        for at in range(8)
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": entries}))
    command = [sys.executable, "-m", "fusion_contracts", "lock", "mcp.json"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as ours:
        while len(list(folder.iterdir())) < 8:
            assert ours.poll() is None
            time.sleep(0.002)
        for _ in range(3):
            ours.send_signal(signal.SIGINT)
            time.sleep(0.05)
        _, err = ours.communicate()
    assert ours.returncode == 130
    assert running_in(folder) == []
    assert err.splitlines()[-1] == "exit 130: interrupted; nothing was written"


def test_signals_that_do_not_stop_leave_one_end_and_one_code(servers: Path, tmp_path: Path) -> None:
    """One of them comes when the command has said how it ended, and Python has not ended yet."""
    command = [sys.executable, "-m", "fusion_contracts", "lock", "--", sys.executable]
    command += [str(servers / "parent.py"), str(tmp_path / "pids"), "--hang"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as ours:
        until((tmp_path / "pids").exists, "the server was not started")
        while ours.poll() is None:
            ours.send_signal(signal.SIGINT)
            time.sleep(0.005)
        _, err = ours.communicate()
    assert (ours.returncode, err.splitlines()[-1]) == (130, "exit 130: interrupted; nothing was written")
    assert "Traceback" not in err


def processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.mark.parametrize("made", [lambda: ThreadPoolExecutor(2), processes])
def test_any_executor_gives_what_threads_of_our_own_do(
    made: Callable[[], Executor], scripted: Scripted, options: Options
) -> None:
    work_list = tasks(scripted, options, "plain", "dies", "fragile", "stateless")
    with made() as executor:
        assert read_all(work_list, executor=executor) == read_all(work_list)
        assert read_all(work_list[:1], executor=executor) == read_all(work_list[:1])


def test_a_process_that_is_killed_costs_what_it_held_and_is_no_crash(
    scripted: Scripted, options: Options, servers: Path, tmp_path: Path
) -> None:
    """A pool of processes gives up all that it still holds: each is a problem, what came before is not."""
    ours = StdioSource((sys.executable, str(servers / "deadly.py")))
    plain = scripted("plain")
    work_list = [Task(one, replace(options, name=name)) for one, name in ((plain, "a"), (ours, "deadly"), (plain, "z"))]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        answers = read_all(work_list, executor=executor)
    assert answers[0].reading is not None
    lost, step = "was not read: whatever ran it lost it (BrokenProcessPool)", "run it again"
    assert [answer.problem for answer in answers[1:]] == [
        Problem("deadly", "start", lost, step),
        Problem("z", "start", lost, step),
    ]


def test_only_the_run_that_is_ended_ends(scripted: Scripted, options: Options) -> None:
    task = Task(scripted("plain"), options)
    running.stop("one")
    with running.part_of("one"):
        assert work(task).problem == Problem(
            "plain", "start", "was not read: the command was interrupted", "run it again"
        )
    with running.part_of("two"):
        assert names([work(task)]) == ["plain"]
    assert names([work(task)]) == ["plain"]


def test_a_parcel_tells_nothing_of_what_is_in_it(scripted: Scripted, options: Options) -> None:
    source = scripted("plain", env={"API_TOKEN": "of-nobody-4711"})
    task = Task(source, replace(options, name="plain", environ=Beside({"MY_KEY": "typed-0815"})))
    parcel = packed(task, "run")
    assert repr(parcel) == "Parcel()"
    assert secrets_in(task) == ("API_TOKEN", "MY_KEY")
    assert secrets_in(Task(scripted("plain", env={"API_TOKEN": "${A}", "LEVEL": "debug"}), options)) == ()


def test_a_worker_of_another_release_opens_no_parcel(scripted: Scripted, options: Options) -> None:
    parcel = replace(packed(Task(scripted("plain"), replace(options, name="plain")), "run"), version="9.9", sealed=b"?")
    message = f"was not read: a worker has fusion-contracts {release()}, and this is 9.9"
    assert read_server(parcel) == Answer(
        problem=Problem("plain", "usage", message, "install the same on every worker")
    )


def test_a_worker_without_the_folder_reads_in_an_empty_one(options: Options, servers: Path, tmp_path: Path) -> None:
    """And never in the folder in which the worker happens to stand."""
    code = f"import os, sys; sys.path.insert(0, {str(servers)!r}); from wire import TOOL, answer, serve; "
    said = "{**TOOL, 'description': str(os.listdir())}"
    serving = f"serve({{'tools/list': lambda request: answer(request, {{'tools': [{said}]}})}})"
    task = Task(StdioSource((sys.executable, "-c", code + serving)), replace(options, root=tmp_path / "elsewhere"))
    answer = read_server(packed(task, "run"))
    assert answer.reading is not None, answer.problem
    (tool,) = answer.reading.contracts[0].tools.values()
    assert tool.description == "[]"


def test_variables_beside_an_environment_travel_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONLY_HERE", "and nowhere else")
    beside = Beside({"A": "b", "PATH": "mine"})
    travelled = pickle.dumps(beside)
    assert b"nowhere else" not in travelled
    arrived = pickle.loads(travelled)
    assert dict(arrived) == {**os.environ, "A": "b", "PATH": "mine"}
    assert len(arrived) == len(set(os.environ) | {"A"})
    assert arrived.below is os.environ
    assert dict(pickle.loads(pickle.dumps(Beside({"A": "b"}, {"C": "d"})))) == {"A": "b", "C": "d"}
