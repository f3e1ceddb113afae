"""A fleet on a cluster: a scheduler and two workers on loopback, one of them killed on the way."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest
import trustme
from waiting import is_running, until

from fusion_contracts import __version__

pytestmark = pytest.mark.cluster


class Machines(Protocol):
    """What `conftest` makes."""

    folder: Path
    environment: dict[str, str]
    address: str
    started: list[subprocess.Popen[bytes]]

    def scheduler(self, host: str = "127.0.0.1", protocol: str = "tcp", **environ: str) -> None: ...
    def worker(
        self, *options: str, threads: int = 2, nanny: bool = False, **environ: str
    ) -> subprocess.Popen[bytes]: ...
    def configure(self, entries: dict[str, Any]) -> None: ...
    def fusion(self, *words: str) -> subprocess.Popen[str]: ...
    def told(self) -> str: ...


def entry(path: Path, *arguments: str, **more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(path), *arguments], **more}


def starts(folder: Path) -> dict[int, int]:
    """The processes of `waits.py` so far, and their parents."""
    files = [file for file in folder.iterdir() if file.name.isdigit()]
    return {int(file.name): int(file.read_text()) for file in files}


def all_gone(pids: list[int]) -> bool:
    return not any(map(is_running, pids))


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if ": starting " not in line and " done" not in line]


def test_a_worker_is_killed_on_the_way_and_every_server_is_locked(
    machines: Machines, servers: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    machines.configure({f"s{at}": entry(servers / "waits.py", str(folder)) for at in range(8)})
    with machines.fusion("lock", "mcp.json") as ours:
        until(lambda: len(starts(folder)) == 4, "both workers read two servers each")
        killed = machines.started[1]
        held = [pid for pid, parent in starts(folder).items() if parent == killed.pid]
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        until(lambda: all_gone(held), "what the killed worker had started, and ignores every signal but one, is ended")
        (folder / "go").touch()
        out, err = ours.communicate()
    assert ours.returncode == 0, err
    assert out == "wrote fusion.lock: 8 servers, 8 tools\n"
    assert lines(err) == [
        f"connected to the scheduler {machines.address}: 2 workers, 4 threads",
        "listing twice, to find what changes by itself",
        "added the source to [sources] in fusion.toml",
    ]
    assert len(held) == 2
    assert len(starts(folder)) == 2 * 8 + 2  # each is listed twice; two were begun once more, elsewhere
    until(lambda: all_gone(list(starts(folder))), "nothing is left running")
    assert sorted(path.name for path in machines.folder.iterdir()) == ["fusion.lock", "fusion.toml", "mcp.json"]

    locked = (machines.folder / "fusion.lock").read_bytes()
    command = [sys.executable, "-m", "fusion_contracts", "lock", "--lockfile", "here.lock"]
    subprocess.run(command, cwd=machines.folder, env=machines.environment, check=True, capture_output=True)
    assert (machines.folder / "here.lock").read_bytes() == locked  # byte for byte what is read without a cluster

    with machines.fusion("lock", "--check") as checked:
        out, err = checked.communicate()
    assert (checked.returncode, out) == (
        0,
        "exit 0: fusion.lock is intact and equal to its sources: 8 servers, 8 tools\n",
    )
    with machines.fusion("check") as checked:
        out, err = checked.communicate()
    assert err.splitlines()[0] == f"connected to the scheduler {machines.address}: 1 workers, 2 threads"


def test_a_server_that_kills_its_workers_costs_no_other(bare: Machines, servers: Path) -> None:
    bare.scheduler(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1")
    bare.worker(nanny=True)
    bare.worker(nanny=True)
    entries = {f"s{at}": entry(servers / "plain.py") for at in range(6)}
    bare.configure({**entries, "deadly": entry(servers / "deadly.py")})
    with bare.fusion("lock", "mcp.json") as ours:
        out, err = ours.communicate()
    assert ours.returncode == 2, err
    assert out == "exit 2: wrote fusion.lock: 6 servers, 18 tools; 1 server not read\n"
    said = "was not read: 4 workers ended while they read it"
    step = "look at the workers' own logs: a lack of memory is the usual reason"
    assert [line for line in err.splitlines() if line.startswith("fusion: ")] == [f"fusion: deadly: {said}; {step}"]


def test_an_interrupt_ends_what_the_workers_read_and_the_next_run_goes_on(
    machines: Machines, servers: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    quick = {f"a{at}": entry(servers / "plain.py") for at in range(3)}
    slow = {f"b{at}": entry(servers / "waits.py", str(folder)) for at in range(6)}
    machines.configure({**quick, **slow})
    with machines.fusion("lock", "mcp.json") as ours:
        kept = machines.folder / "fusion.lock.journal" / "servers.jsonl"
        until(lambda: len(starts(folder)) == 4 and kept.read_bytes().count(b"\n") == 4, "all threads are busy")
        ours.send_signal(signal.SIGINT)
        out, err = ours.communicate()
    assert (ours.returncode, out) == (130, "")
    assert err.splitlines()[-2:] == [
        "note: 3 servers listed so far: fusion.lock.journal keeps them, and --resume goes on from there",
        "exit 130: interrupted; nothing was written",
    ]
    assert all_gone(list(starts(folder)))  # at once, long before their 60 s are over
    assert len(starts(folder)) == 4  # and no further one was begun

    (folder / "go").touch()
    with machines.fusion("lock", "mcp.json", "--resume") as again:  # the same workers take work again
        out, err = again.communicate()
    assert (again.returncode, out) == (0, "wrote fusion.lock: 9 servers, 15 tools\n"), err
    assert re.match(r"3 of 9 servers listed by the run of 20\d\d-\d\d-\d\d \d\d:\d\d UTC: not read again\n", err)
    assert sorted(re.findall(r"^(\w+): starting ", err, re.MULTILINE)) == sorted(slow)


def test_a_secret_stays_out_of_logs_and_is_looked_up_where_the_worker_runs(
    bare: Machines, servers: Path, tmp_path: Path
) -> None:
    bare.scheduler(DASK_LOGGING__DISTRIBUTED="debug")
    bare.worker(HOUSE_TOKEN="of-the-worker-4711", DASK_LOGGING__DISTRIBUTED="debug")
    telling = tmp_path / "telling.py"
    wire = f"import os, sys\nsys.path.insert(0, {str(servers)!r})\nfrom wire import TOOL, answer, serve\n"
    said = "{**TOOL, 'description': str(len(os.environ[sys.argv[1]]))}"
    telling.write_text(f"{wire}serve({{'tools/list': lambda request: answer(request, {{'tools': [{said}]}})}})")
    entries = {
        "theirs": entry(telling, "HOUSE_TOKEN", env={"HOUSE_TOKEN": "${HOUSE_TOKEN}"}),
        "ours": entry(telling, "API_TOKEN", env={"API_TOKEN": "literal-and-secret-0815"}),
        "asked": entry(telling, "MY_KEY", env={"MY_KEY": "${input:my-key}"}),
    }
    bare.configure(entries)
    with bare.fusion("lock", "mcp.json", "--input", "my-key=typed-by-someone-1") as ours:
        out, err = ours.communicate()
    assert (ours.returncode, out) == (0, "wrote fusion.lock: 3 servers, 3 tools\n"), err
    lock = (bare.folder / "fusion.lock").read_text()
    assert sorted(re.findall(r'^description = "(\d+)"$', lock, re.MULTILINE)) == ["18", "18", "23"]
    everything = bare.told() + out + err + lock
    for value in ("of-the-worker-4711", "literal-and-secret-0815", "typed-by-someone-1"):
        assert value not in everything


def own_address() -> str:
    """An address of this machine that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no address but loopback")
        return str(probe.getsockname()[0])


def test_a_secret_does_not_travel_in_the_open(bare: Machines, servers: Path) -> None:
    host = own_address()
    bare.scheduler(host)
    bare.worker()
    plain = entry(servers / "plain.py")
    asked = entry(servers / "plain.py", env={"MY_KEY": "${input:my-key}"})
    bare.configure({"free": plain, "ours": {**plain, "env": {"API_TOKEN": "of-nobody-0815"}}, "asked": asked})
    with bare.fusion("lock", "mcp.json", "--input", "my-key=typed") as ours:
        out, err = ours.communicate()
    assert (ours.returncode, out) == (2, "exit 2: wrote fusion.lock: 1 server, 3 tools; 2 servers not read\n")
    told = [re.sub(rf"tcp://{re.escape(host)}:\d+", "tcp://HOST", line) for line in err.splitlines()]
    step = "use a tls:// scheduler, or write ${%s} in its place and set it where the workers run"
    assert [line for line in told if line.startswith("fusion: ")] == [
        f"fusion: {server}: was not read: the value of {name} would travel unencrypted to tcp://HOST; {step % name}"
        for server, name in (("asked", "MY_KEY"), ("ours", "API_TOKEN"))
    ]


def test_over_tls_it_does(bare: Machines, servers: Path, tmp_path: Path) -> None:
    host = own_address()
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert(host).private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "own.pem"))
    bare.environment["DASK_DISTRIBUTED__COMM__TLS__CA_FILE"] = str(tmp_path / "ca.pem")
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        for part in ("KEY", "CERT"):
            bare.environment[f"DASK_DISTRIBUTED__COMM__TLS__{role}__{part}"] = str(tmp_path / "own.pem")
    bare.scheduler(host, protocol="tls")
    bare.worker()
    bare.configure({"ours": entry(servers / "plain.py", env={"API_TOKEN": "of-nobody-0815"})})
    with bare.fusion("lock", "mcp.json") as ours:
        out, err = ours.communicate()
    assert (ours.returncode, out) == (0, "wrote fusion.lock: 1 server, 3 tools\n"), err
    assert err.startswith(f"connected to the scheduler tls://{host}:")


def test_other_versions_are_one_clear_line(bare: Machines, servers: Path, tmp_path: Path) -> None:
    """A worker beside which the metadata of another release is found first."""
    other = tmp_path / "other" / "fusion_contracts-9.9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: fusion-contracts\nVersion: 9.9.9\n")
    bare.scheduler()
    bare.worker(PYTHONPATH=str(other.parent))
    bare.configure({"s": entry(servers / "plain.py")})
    with bare.fusion("lock", "mcp.json") as ours:
        out, err = ours.communicate()
    assert (ours.returncode, out) == (2, "")
    first, last = err.splitlines()
    assert re.sub(r"tcp://127\.0\.0\.1:\d+", "WORKER", first) == (
        f"fusion: the worker WORKER has fusion-contracts 9.9.9, and this is {__version__}; "
        "install the same on the scheduler and every worker"
    )
    assert last == "exit 2: could not check"


def test_limits_hold_on_workers_too(machines: Machines, servers: Path) -> None:
    (machines.folder / "fusion.toml").write_text(
        '[servers.hangs]\ntimeout = 1\n[servers.hungry]\nmemory = "100 MiB"\n'
    )
    kinds = ("hangs", "hungry", "flood", "plain")
    machines.configure({kind: entry(servers / f"{kind}.py") for kind in kinds})
    with machines.fusion("lock", "mcp.json") as ours:
        out, err = ours.communicate()
    assert (ours.returncode, out) == (2, "exit 2: wrote fusion.lock: 1 server, 3 tools; 3 servers not read\n"), err
    told = [line.partition(";")[0] for line in err.splitlines() if line.startswith("fusion: ")]
    assert told == [
        "fusion: flood: sends more than 16 MiB in one line on standard output",
        'fusion: hangs: no answer to initialize in 1 s, twice. Last stderr: "waiting for the database"',
        "fusion: hungry: used more than 100 MiB of memory and was ended",
    ]


def test_a_scheduler_that_goes_away_is_an_error_of_what_is_left(
    machines: Machines, servers: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "pids"
    folder.mkdir()
    machines.configure({f"s{at}": entry(servers / "waits.py", str(folder)) for at in range(2)})
    with machines.fusion("lock", "mcp.json") as ours:
        until(lambda: len(starts(folder)) == 2, "both servers are read")
        os.kill(machines.started[0].pid, signal.SIGKILL)
        out, err = ours.communicate()
    assert (ours.returncode, out) == (2, "")
    told = [line for line in err.splitlines() if line.startswith("fusion: s")]
    gone = f"was not read: the scheduler {machines.address} went away; run it again"
    assert told == [f"fusion: s0: {gone}", f"fusion: s1: {gone}"]
    (folder / "go").touch()


def test_nothing_waits_for_workers_for_ever(bare: Machines, servers: Path, tmp_path: Path) -> None:
    bare.scheduler()
    code = f"""if True:
        from pathlib import Path
        from fusion_contracts.sources.base import Options
        from fusion_contracts.sources.cluster import cluster
        from fusion_contracts.sources.stdio import StdioSource
        from fusion_contracts.sources.together import read_all
        from fusion_contracts.sources.unit import Task
        task = Task(StdioSource(("true",)), Options(Path({str(tmp_path)!r}), "lonely"))
        with cluster({bare.address!r}, print, patience=1) as executor:
            print(read_all([task], executor=executor)[0].problem)
    """
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=bare.environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        f"connected to the scheduler {bare.address}: no worker yet",
        f"lonely: was not read: {bare.address} has had no worker for 1 s; start workers, and run it again",
    ], done.stderr


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://h:1", "http://h:1 is no address of a scheduler; write tcp://HOST:PORT or tls://HOST:PORT"),
        (
            "tcp://127.0.0.1:1",
            "the scheduler tcp://127.0.0.1:1 does not answer; check the address, and that the scheduler runs",
        ),
        ("tcp://127.0.0.1", "tcp://127.0.0.1 is no address of a scheduler; write tcp://HOST:PORT or tls://HOST:PORT"),
        (
            "tls://127.0.0.1:1",
            (
                "the scheduler tls://127.0.0.1:1 cannot be spoken to: TypeError; check the address "
                "and Dask's settings: tls:// takes its certificates from distributed.comm.tls"
            ),
        ),
    ],
)
def test_no_scheduler_is_a_sentence(bare: Machines, servers: Path, address: str, said: str) -> None:
    bare.address = address
    bare.configure({"s": entry(servers / "plain.py")})
    with bare.fusion("lock", "mcp.json") as ours:
        out, err = ours.communicate()
    assert (ours.returncode, out) == (2, "")
    assert err == f"fusion: {said}\nexit 2: could not check\n"
    assert [path.name for path in bare.folder.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize(
    ("greeting", "said"),
    [
        (b"", "the scheduler {0} does not answer; check the address, and that the scheduler runs"),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            "what listens at {0} is no scheduler; check the address, and that the scheduler runs",
        ),
    ],
)
def test_another_service_there_is_a_sentence_soon(bare: Machines, servers: Path, greeting: bytes, said: str) -> None:
    bare.configure({"s": entry(servers / "plain.py")})
    with socket.create_server(("127.0.0.1", 0)) as listening:
        bare.address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        listening.settimeout(60)
        with bare.fusion("lock", "mcp.json") as ours:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(greeting)
                out, err = ours.communicate(timeout=60)  # it would wait for ever
    assert (ours.returncode, out) == (2, "")
    assert err == f"fusion: {said.format(bare.address)}\nexit 2: could not check\n"


def test_a_worker_is_no_scheduler(machines: Machines, servers: Path) -> None:
    machines.configure({"s": entry(servers / "plain.py")})
    machines.address = re.findall(r"Start worker at:\s+(tcp://\S+)", machines.told())[0]
    with machines.fusion("lock", "mcp.json") as ours:
        _, err = ours.communicate(timeout=60)
    assert err == (
        f"fusion: what listens at {machines.address} is no scheduler; check the address, and that the scheduler runs\n"
        "exit 2: could not check\n"
    )
