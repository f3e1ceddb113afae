"""Shared by the tests of the usability report: a scripted log, and the same calls in every engine there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from scripted_runs import Script, scripted, tell

from fusion_contracts.loop.log import ErrorLog


@pytest.fixture(scope="session")
def script() -> Script:
    return scripted(120, seed=8)


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str, Script], str]:
    """Writes the calls of a script into a log of a kind, and gives the log's name."""

    def write(kind: str, script: Script) -> str:
        if kind == "postgres":
            log = str(request.getfixturevalue("postgres"))
        else:
            log = str(tmp_path / {"sqlite": "log.sqlite", "lines": "log.jsonl"}.get(kind, f"{kind}.jsonl"))
        with ErrorLog(log, clock=Clock()) as told:
            tell(told, script.calls)
        return _of_duckdb(log, kind) if kind in ("parquet", "duckdb") else log

    return write


class Clock:
    """Seconds since 1970; each question comes 97 seconds after the last."""

    def __init__(self) -> None:
        self.now = 1_793_000_000.0

    def __call__(self) -> float:
        self.now += 97
        return self.now


def _of_duckdb(log: str, kind: str) -> str:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: its files were not tried")
    file = log.replace(".jsonl", f".{kind}")
    columns = "columns = {id: 'BIGINT', time_us: 'BIGINT', run: 'TEXT', server: 'TEXT', action: 'TEXT', "
    columns += "outcome: 'TEXT', code: 'TEXT', fields: 'TEXT', release: 'TEXT', contract: 'TEXT', "
    columns += "deltas: 'BIGINT', stopped: 'BIGINT', model_calls: 'BIGINT', tokens: 'BIGINT'}"
    read = f"SELECT * FROM read_json('{log}', {columns})"
    with duckdb.connect(file if kind == "duckdb" else ":memory:") as connection:
        connection.execute(f"CREATE TABLE fusion_calls AS {read}" if kind == "duckdb" else f"COPY ({read}) TO '{file}'")
    return file
