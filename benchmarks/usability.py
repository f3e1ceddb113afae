"""What a usability report over many calls costs, each as a whole process: `fusion report LOG --format json`.

    python benchmarks/usability.py [--calls 10000000] [--runs 3] [--keep FOLDER]

The calls are made up by DuckDB: 20 a run, of 30 actions, one in ten failed. Kinds of log are interleaved; a row is the
median, and its ratio compares it with Parquet in the same minutes. SQLite, one file of rows, is measured with a tenth.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import duckdb

from fusion_contracts.loop.log.entry import COLUMNS

AIM = 10.0  # seconds, for ten million calls, embedded
MADE = """
SELECT (hash(i) >> 1)::BIGINT AS id, 1760000000000000 + i * 100000 AS time_us, 'run-' || (i // 20) AS run,
  'desk' AS server, 'tool_' || (hash(i * 7) % 30) AS tool, tool AS action,
  CASE WHEN hash(i * 3) % 10 = 0 THEN 'execution_error' ELSE 'ok' END AS outcome,
  CASE WHEN outcome <> 'ok' THEN ['NOT_FOUND', 'TIMEOUT', 'VALIDATION_ERROR'][1 + (hash(i * 5) % 3)::INT] END AS code,
  CASE WHEN outcome <> 'ok' THEN 'error' END AS severity,
  CASE WHEN outcome <> 'ok' THEN '["field' || (hash(i * 13) % 9) || '"]' END AS fields,
  '2.1.0' AS release, 'abcdef0123456789' AS contract,
  CASE WHEN outcome <> 'ok' THEN (hash(i * 11) % 2)::BIGINT ELSE 0 END AS deltas,
  CASE WHEN outcome <> 'ok' THEN 1 ELSE 0 END::BIGINT AS attempt, 0::BIGINT AS stopped,
  NULL::BIGINT AS model_calls, (hash(i * 17) % 900)::BIGINT AS tokens, NULL::VARCHAR AS arguments
FROM range({calls}) AS t(i)
"""


def make(folder: Path, calls: int) -> dict[str, tuple[Path, int]]:
    """The logs by kind, with how many calls each holds; made where they are missing."""
    logs = {
        "Parquet": (folder / f"{calls}.parquet", calls),
        "JSON lines": (folder / f"{calls}.jsonl", calls),
        "SQLite": (folder / f"{calls // 10}.sqlite", calls // 10),
    }
    with duckdb.connect() as connection:
        for name, form in (("Parquet", "parquet"), ("JSON lines", "json")):
            if not logs[name][0].exists():
                connection.execute(f"COPY ({MADE.format(calls=calls)}) TO '{logs[name][0]}' (FORMAT {form})")
        if not logs["SQLite"][0].exists():
            fill(logs["SQLite"][0], connection.execute(MADE.format(calls=calls // 10)))
    return logs


def fill(path: Path, rows: duckdb.DuckDBPyConnection) -> None:
    """Write rows into a new SQLite log."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE fusion_calls ({columns})")
        insert = f"INSERT INTO fusion_calls VALUES ({', '.join('?' * len(COLUMNS))})"
        while batch := rows.fetchmany(50_000):
            connection.executemany(insert, batch)


def measure(log: Path) -> float:
    """Seconds of one whole process."""
    command = [str(Path(sys.executable).with_name("fusion")), "report", str(log), "--format", "json"]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="a folder for the logs, to measure again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        logs = make(given.keep or Path(folder), given.calls)
        taken: dict[str, list[float]] = {name: [] for name in logs}
        for _ in range(given.runs):
            for name, (log, _calls) in logs.items():
                taken[name].append(measure(log))
        base = statistics.median(taken["Parquet"])
        print(f"{'log':<12}{'calls':>12}{'size':>10}{'seconds':>9}{'ratio':>7}")
        for name, (log, calls) in logs.items():
            median = statistics.median(taken[name])
            aim = f"  aim {AIM:.0f} s: {'held' if median < AIM else 'missed'}" if name == "Parquet" else ""
            size = f"{log.stat().st_size / 1e6:,.0f} MB"
            print(f"{name:<12}{calls:>12,}{size:>10}{median:>9.1f}{median / base:>7.1f}{aim}")


if __name__ == "__main__":
    main()
