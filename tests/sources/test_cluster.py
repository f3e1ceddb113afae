"""What a cluster's executor does where no cluster is needed to see it; tests/cluster has a real one."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.sources import cluster
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.cluster import Cluster
from fusion_contracts.sources.stdio import StdioSource
from fusion_contracts.sources.unit import Task, work

ADDRESS = "tcp://127.0.0.1:8786"


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """What Dask says of a unit over which workers died."""

    allowed_failures = 3


class Scheduler:
    """A client of one that gives up whatever it is sent, and goes away once it has; `after` is the client's status."""

    def __init__(self, after: str) -> None:
        self.status, self.after = "running", after
        self.gone = False

    def get_executor(self, *, pure: bool) -> Scheduler:
        assert not pure
        return self

    def submit(self, *_: Any) -> Future[Any]:
        lost: Future[Any] = Future()
        lost.set_exception(KilledWorker())
        self.gone = True
        return lost

    def nthreads(self) -> dict[str, int]:
        if self.gone:
            self.status = self.after
            raise OSError
        return {ADDRESS: 1}


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ("closed", f"was not read: the scheduler {ADDRESS} went away"),
        ("connecting", f"was not read: {ADDRESS} has had no worker for 0.05 s"),
    ],
)
def test_what_waits_to_be_tried_again_is_answered_where_the_scheduler_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str, told: str
) -> None:
    monkeypatch.setattr(cluster, "_LOOK", 0.01)
    executor = Cluster(Scheduler(after), ADDRESS, patience=0.05)
    with executor:
        answer = executor.submit(work, Task(StdioSource(("true",)), Options(tmp_path, "pages"))).result(timeout=60)
    assert answer.problem.message == told
