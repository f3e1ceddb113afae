"""What a retry guard costs before each call: microseconds side by side, in memory, SQLite, and Redis where one answers.

    python benchmarks/loop.py [--runs 7] [--redis redis://127.0.0.1:6379/0]

Each row is the median of interleaved runs. A ratio compares it with the row named beside it, measured in the same
minutes, so that a busy machine slows both. Of Redis the ratio is the aim: a check may take 1.3 times one round trip.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fusion_contracts import tool_error
from fusion_contracts.loop import Outcome, RetryGuard, Store, StoreError, ToolCall, open_store

ARGUMENTS = {"owner": "octocat", "repo": "hello-world", "state": "open", "labels": ["bug", "help wanted"], "page": 3}
FRESH = ToolCall("list_issues", ARGUMENTS, run="fresh")  # of a run in which nothing has failed
OTHER = ToolCall("get_issue", ARGUMENTS, run="failed")  # in a run in which other actions have failed twenty times
AGAIN = ToolCall("list_issues_0", ARGUMENTS, run="failed")  # of an action that failed with other arguments
STOPPED = ToolCall("list_issues", ARGUMENTS, run="stopped")
MISSING = Outcome.of(tool_error("NOT_FOUND", "No repository of that name."))


@dataclass(frozen=True)
class Row:
    """One thing to time: how often a run repeats it, what it should take (seconds), and what it is compared with."""

    name: str
    call: Callable[[], Any]
    repeat: int
    aim: float | None = None
    beside: str | None = None
    most: float | None = None


def rows(name: str, store: Store, repeat: int, aim: float | None, most: float | None = None) -> Iterator[Row]:
    """What is timed in one store: a bare look-up, and checks that let a call through or stop it."""
    guard = RetryGuard(store)
    for index in range(20):
        guard.after(ToolCall(f"list_issues_{index}", {**ARGUMENTS, "page": index}, run="failed"), MISSING)
    guard.after(STOPPED, MISSING)
    while guard.over("stopped") is None:  # refusals count, so that at last a check only reads
        guard.before(STOPPED)
    key = f"guard:{uuid.uuid4().hex}"
    look_up = f"{name}: one look-up"
    yield Row(look_up, lambda: store.get(key), repeat)
    yield Row(f"{name}: check, nothing has failed", lambda: guard.before(FRESH), repeat, aim, look_up, most)
    yield Row(f"{name}: check, other actions have failed", lambda: guard.before(OTHER), repeat, aim, look_up, most)
    yield Row(f"{name}: check, the action has failed", lambda: guard.before(AGAIN), repeat, aim, look_up, most)
    yield Row(f"{name}: answer to a stopped call", lambda: guard.before(STOPPED), repeat // 4)


def seconds(row: Row) -> float:
    """Of one call."""
    start = time.perf_counter()
    for _ in range(row.repeat):
        row.call()
    return (time.perf_counter() - start) / row.repeat


def main() -> None:
    """Time everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--redis", default="redis://127.0.0.1:6379/0")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stores = [open_store("memory:"), open_store(f"sqlite:///{Path(folder) / 'store.sqlite'}")]
        timed = [*rows("memory", stores[0], 20_000, 10e-6), *rows("SQLite", stores[1], 2_000, 200e-6)]
        redis = _redis(options.redis)
        if redis is not None:
            stores.append(redis)
            timed += rows("Redis", redis, 1_000, None, 1.3)
        _print(timed, options.runs)
        for store in stores:
            _emptied(store)
            store.close()


def _redis(url: str) -> Store | None:
    store = open_store(url)
    try:
        store.get("guard:failed")
    except StoreError as error:
        print(error)
        return None
    _emptied(store)
    return store


def _emptied(store: Store) -> None:
    guard = RetryGuard(store)
    for run in ("fresh", "failed", "stopped"):
        guard.forget(run)


def _print(timed: list[Row], runs: int) -> None:
    samples: dict[str, list[float]] = {row.name: [] for row in timed}
    for _ in range(runs):
        for row in timed:
            samples[row.name].append(seconds(row))
    medians = {name: statistics.median(found) for name, found in samples.items()}
    for row in timed:
        aim = f"aim {row.aim * 1e6:g} us" if row.aim else f"aim {row.most} x" if row.most else ""
        ratio = f"{medians[row.name] / medians[row.beside]:.2f} x {row.beside}" if row.beside else ""
        print(f"{row.name:44} {medians[row.name] * 1e6:10.2f} us  {aim:12} {ratio}")


if __name__ == "__main__":
    main()
