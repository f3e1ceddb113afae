"""A real scheduler and real workers, processes on loopback, for the tests of `--scheduler`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from waiting import until


@dataclass
class Machines:
    """A scheduler, its workers and a project's folder."""

    folder: Path
    environment: dict[str, str]
    address: str = ""
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)

    def start(self, log: str, *words: str, **environ: str) -> subprocess.Popen[bytes]:
        path = self.folder.parent / log
        self.logs.append(path)
        with path.open("wb") as file:
            command = [sys.executable, "-m", "dask", *words]
            process = subprocess.Popen(
                command,
                stdout=file,
                stderr=file,
                env={**self.environment, **environ},
                cwd=self.folder.parent,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def scheduler(self, host: str = "127.0.0.1", protocol: str = "tcp", **environ: str) -> None:
        words = ("scheduler", "--host", f"{protocol}://{host}", "--port", "0", "--no-dashboard")
        self.start("scheduler.log", *words, **environ)
        found = re.compile(rf"Scheduler at:\s+({protocol}://{re.escape(host)}:\d+)")
        until(lambda: found.search(self.logs[0].read_text()), "the scheduler is up")
        self.address = found.findall(self.logs[0].read_text())[0]

    def worker(self, *options: str, threads: int = 2, nanny: bool = False, **environ: str) -> subprocess.Popen[bytes]:
        log = f"worker-{len(self.started)}.log"
        words = ("--nthreads", str(threads), "--nanny" if nanny else "--no-nanny", "--no-dashboard", *options)
        process = self.start(log, "worker", self.address, *words, **environ)
        until(lambda: "Registered to" in (self.folder.parent / log).read_text(), "the worker is up")
        return process

    def configure(self, entries: dict[str, Any]) -> None:
        (self.folder / "mcp.json").write_text(json.dumps({"mcpServers": entries}))

    def fusion(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fusion_contracts", *words, "--scheduler", self.address]
        return subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def told(self) -> str:
        """All that the scheduler and the workers wrote."""
        return "".join(log.read_text(errors="replace") for log in self.logs)

    def stop(self) -> None:
        for process in self.started:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            finally:
                process.wait()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """A scheduler and two workers of two threads each, and an empty project."""
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    made = _made(tmp_path)
    made.scheduler()
    made.worker()
    made.worker()
    yield made
    made.stop()


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Machines]:
    """An empty project; the test starts the scheduler and the workers."""
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    made = _made(tmp_path)
    yield made
    made.stop()


def _made(tmp_path: Path) -> Machines:
    folder = tmp_path / "project"
    folder.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}
    return Machines(folder, {**kept, "DASK_CONFIG": str(tmp_path / "dask"), "PYTHONUNBUFFERED": "1"})


@pytest.fixture
def servers(root: Path) -> Path:
    """The folder of scripted servers."""
    return root / "fixtures" / "servers"
