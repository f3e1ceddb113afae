"""What a registry of servers costs on a cluster: measured for a few, computed for all.

    python benchmarks/fleet.py [--servers 20000] [--wait 2] [--write docs/fleets.md] [-- COMMAND]

Starts a Dask scheduler and two workers on loopback, locks fleets of two sizes with `fusion lock --scheduler`, and reads
the processor time of each process (Linux tells it in /proc). What one server more costs is the difference between the
two fleets; what the whole takes is the largest of three: the workers' share, the scheduler's and the client's, which
are one process each, and the time in which servers are waited for. Every server is listed twice, as `fusion lock` does.
COMMAND is a stdio server to measure beside the two small ones here: what it needs to start is most of what it costs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from printed import machine, shown, table, writing

ROOT = Path(__file__).resolve().parent.parent
SMALL, LARGE = 20, 80  # servers in the two fleets
THREADS = 16  # of each worker in what is computed: as many servers are read at a time
WORKERS = (1, 4, 16, 64)
TICKS = os.sysconf("SC_CLK_TCK")
SITE = """
import sys
sys.path.insert(0, sys.argv[1])
from http_site import Site, mcp
print(Site(mcp).url, flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Cost:
    """Processor seconds for one server: of the worker with what it starts, the scheduler, the client; bytes of lock."""

    worker: float
    scheduler: float
    client: float
    size: float

    def hours(self, servers: int, workers: int, wait: float) -> tuple[float, str]:
        """Hours for a fleet on so many workers, one processor each, and what it is that takes them."""
        times = {
            "workers": servers * self.worker / workers,
            "client": servers * self.client,
            "scheduler": servers * self.scheduler,
            "waiting": servers * wait / (workers * THREADS),
        }
        slowest = max(times, key=lambda name: times[name])
        return times[slowest] / 3600, slowest


def spent(process: subprocess.Popen[Any]) -> float:
    """Processor seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


@contextmanager
def started(log: Path, *words: str) -> Iterator[subprocess.Popen[Any]]:
    """A part of the cluster, which ends with the block."""
    environment = {**os.environ, "DASK_CONFIG": str(log.parent / "dask"), "PYTHONUNBUFFERED": "1"}
    with log.open("wb") as file:
        command = [sys.executable, "-m", "dask", *words]
        process = subprocess.Popen(command, stdout=file, stderr=file, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def said(log: Path, pattern: str) -> str:
    """What a part of the cluster says once it is up."""
    while not (found := re.search(pattern, log.read_text())):
        time.sleep(0.05)
    return found[1]


def lock(folder: Path, entries: dict[str, Any], address: str) -> tuple[float, int]:
    """Lock a fleet: the client's processor seconds, and the bytes of the lock."""
    folder.mkdir()
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": entries}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "fusion_contracts", "lock", "mcp.json", "--write", "--scheduler", address]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    files = [folder / "fusion.lock", *(folder / "fusion.lock.d").glob("*.lock")]
    return seconds, sum(file.stat().st_size for file in files if file.exists())


def measured(folder: Path, entry: dict[str, Any]) -> Cost:
    """What one server more costs on a scheduler and two workers."""
    folder.mkdir()
    log = folder / "scheduler.log"
    with started(log, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard") as scheduler:
        address = said(log, r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)")
        words = ("worker", address, "--no-nanny", "--nthreads", "4", "--no-dashboard")
        logs = folder / "worker-1.log", folder / "worker-2.log"
        with started(logs[0], *words) as first, started(logs[1], *words) as second:
            for one in logs:
                said(one, r"(Registered to)")
            fleets = []
            for number in (1, SMALL, LARGE):  # the first loads what is loaded once
                before = [spent(one) for one in (first, second, scheduler)]
                fleet = {f"s{at:03}": entry for at in range(number)}
                client, size = lock(folder / str(number), fleet, address)
                after = [spent(one) for one in (first, second, scheduler)]
                *work, middle = (now - then for now, then in zip(after, before, strict=True))
                fleets.append((sum(work), middle, client, size))
    more = LARGE - SMALL
    return Cost(*((large - small) / more for small, large in zip(fleets[1], fleets[2], strict=True)))


def measure(folder: Path, command: Sequence[str]) -> dict[str, Cost]:
    """What a server of each kind costs."""
    example = str(ROOT / "fixtures" / "example" / "helpdesk_v1.py")
    found = {"a small Python server": measured(folder / "stdio", {"command": sys.executable, "args": [example]})}
    if command:
        found[" ".join(command)] = measured(folder / "own", {"command": command[0], "args": list(command[1:])})
    site = [sys.executable, "-c", SITE, str(ROOT / "tests" / "support")]
    with subprocess.Popen(site, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
        url = serving.stdout.readline().strip() if serving.stdout else ""
        found["a URL"] = measured(folder / "http", {"url": url})
        serving.terminate()
    return found


def told(costs: dict[str, Cost], servers: int, wait: float) -> str:
    """Both tables: what was measured, and what follows for the whole fleet."""
    of = f"({SMALL} to {LARGE} servers, {os.cpu_count()} cores)"
    more = f"(each listed in {wait:g} s, {THREADS} threads a worker)"
    measured = (
        (name, *(f"{1000 * one:.0f}" for one in (cost.worker, cost.scheduler, cost.client)), f"{cost.size / 1000:.1f}")
        for name, cost in costs.items()
    )
    computed = (
        (name, *("{:.2f} ({})".format(*cost.hours(servers, count, wait)) for count in WORKERS))
        for name, cost in costs.items()
    )
    return "\n\n".join(
        (
            f"Processor milliseconds for one server, and kB of lock {of}:",
            table(("server", "worker", "scheduler", "client", "lock"), measured),
            f"Hours for {servers:,} servers {more}:",
            table(("server", *(f"{count} worker{'s' * (count > 1)}" for count in WORKERS)), computed),
            machine(),
        )
    )


def main() -> None:
    """Measure, compute, print."""
    parser = writing(argparse.ArgumentParser(description="What a registry of servers costs on a cluster."))
    parser.add_argument("--servers", type=int, default=20_000, help="how many the fleet has")
    parser.add_argument("--wait", type=float, default=2.0, help="seconds in which a server is listed, both times")
    parser.add_argument("command", nargs="*", help="a stdio server to measure as well")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        costs = measure(Path(folder), asked.command)
    shown("python benchmarks/fleet.py", told(costs, asked.servers, asked.wait), asked.write)


if __name__ == "__main__":
    main()
