"""Logs that are none, of another release, or anybody's: one sentence each, and nothing else is read by them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.log.entry import COLUMNS
from fusion_contracts.loop.usage.counting import count, servers
from fusion_contracts.loop.usage.engines import opened
from fusion_contracts.loop.usage.queries import Filter
from fusion_contracts.report.usability.model import Period

ENTRY = {
    "id": 1, "time_us": 1_793_000_000_000_000, "run": "1", "server": "desk", "action": "close",
    "outcome": "execution_error", "code": "TIMEOUT", "fields": '["a"]', "deltas": 0, "stopped": 0, "tokens": 5,
}  # fmt: skip


def counted(log: str | Path) -> Period:
    with opened(str(log)) as engine:
        assert servers(engine) is not None
        return count(engine, Filter(), "")


def refusal(log: str | Path) -> str:
    with pytest.raises(FusionError) as caught:
        counted(log)
    return str(caught.value).replace(str(log), "LOG")


def database(path: Path, *entries: dict[str, Any], columns: tuple[str, ...] = tuple(COLUMNS)) -> Path:
    """An SQLite file with a table of that name, which holds whatever it is given."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE fusion_calls ({', '.join(columns)})")
        rows = [[entry.get(name) for name in columns] for entry in entries]
        connection.executemany(f"INSERT INTO fusion_calls VALUES ({', '.join('?' * len(columns))})", rows)
    return path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none.sqlite", "there is no log at LOG; name one: fusion report LOG"),
        ("none*.jsonl", "no file fits LOG; name a log: fusion report LOG"),
        ("empty.txt", "LOG is empty; name a log that ErrorLog wrote"),
        ("other.txt", "LOG is no log: neither SQLite nor .ddb, .duckdb, .jsonl, .ndjson, .parquet; name a log"),
        ("other.sqlite", "LOG holds no table fusion_calls; name a log that ErrorLog wrote"),
        ("broken.sqlite", "cannot read LOG: database disk image is malformed; name a log that ErrorLog wrote"),
        ("other.duckdb", "LOG holds no table fusion_calls; name a log that ErrorLog wrote"),
        ("other.jsonl", "LOG is no log: none of its lines is an entry; name a log that ErrorLog wrote"),
    ],
)
def test_what_is_no_log_is_refused(name: str, said: str, tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "empty.txt").touch()
    (tmp_path / "other.txt").write_text("hello", encoding="ascii")
    (tmp_path / "other.jsonl").write_text("<html>\n{}\n", encoding="ascii")
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE other (a)")
    whole = database(tmp_path / "whole.sqlite", ENTRY).read_bytes()
    (tmp_path / "broken.sqlite").write_bytes(whole[:100] + b"\xff" * 2_000 + whole[2_100:])
    duckdb.connect(tmp_path / "other.duckdb").close()
    assert refusal(tmp_path / name) == said


def test_an_empty_log_has_no_calls(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").touch()
    assert counted(tmp_path / "log.jsonl") == Period("")
    assert counted(database(tmp_path / "log.sqlite")) == Period("")


def test_a_log_of_a_newer_release_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(json.dumps(ENTRY | {"version": 2, "more": {"a": [1]}}), encoding="ascii")
    columns = (*COLUMNS, "more")
    of_lines = counted(tmp_path / "log.jsonl")
    assert of_lines.total.errors == 1
    assert counted(database(tmp_path / "log.sqlite", ENTRY | {"more": 7}, columns=columns)) == of_lines


def test_a_table_that_lacks_a_column_is_named_with_it(tmp_path: Path) -> None:
    import duckdb

    few = tuple(name for name in COLUMNS if name != "outcome")
    said = "the table fusion_calls of LOG has no column outcome; name a log that ErrorLog of this release wrote"
    assert refusal(database(tmp_path / "log.sqlite", ENTRY, columns=few)) == said
    with duckdb.connect() as connection:
        selected = ", ".join(f"NULL::{COLUMNS[name]} AS {name}" for name in few)
        connection.execute(f"COPY (SELECT {selected} WHERE false) TO '{tmp_path / 'log.parquet'}'")
    assert refusal(tmp_path / "log.parquet") == said


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("time_us", None), ("time_us", "soon"), ("time_us", 1.5), ("server", None), ("server", 5), ("server", b"\xff"),
        ("action", None), ("action", 5), ("code", 5), ("fields", 5), ("stopped", "9" * 400),
    ],
)  # fmt: skip
def test_a_table_that_holds_something_else_is_refused(column: str, value: Any, tmp_path: Path) -> None:
    log = database(tmp_path / "log.sqlite", ENTRY, ENTRY | {"id": 2, column: value})
    assert refusal(log).startswith("LOG is not as ErrorLog writes it: ")
    lines = tmp_path / "log.jsonl"
    if column in ("time_us", "server", "action", "stopped") and not isinstance(value, bytes):
        lines.write_text(f"{json.dumps(ENTRY)}\n{json.dumps(ENTRY | {'id': 2, column: value})}\n", encoding="ascii")
        assert counted(lines).total.errors in (1, 2), "a line is no entry, or its value is read as what it should be"


def test_fields_that_are_nested_too_deep_are_no_fields(tmp_path: Path) -> None:
    log = database(tmp_path / "log.sqlite", ENTRY | {"fields": "[" * 100_000})
    assert [action.fields for action in counted(log).actions] == [{}]


def test_a_database_reads_no_other_file(tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "secret.txt").write_text("hunter2", encoding="ascii")
    with duckdb.connect(tmp_path / "log.duckdb") as connection:
        columns = ", ".join(f"content::{kind} AS {name}" for name, kind in COLUMNS.items() if kind == "TEXT")
        numbers = ", ".join(f"1::BIGINT AS {name}" for name, kind in COLUMNS.items() if kind != "TEXT")
        connection.execute(
            f"CREATE VIEW fusion_calls AS SELECT {columns}, {numbers} FROM read_text('{tmp_path / 'secret.txt'}')"
        )
    said = refusal(tmp_path / "log.duckdb")
    assert said.startswith("cannot read LOG: Permission Error: ")
    assert "hunter2" not in said


def test_a_log_is_read_while_it_is_written(tmp_path: Path) -> None:
    log = str(tmp_path / "log.sqlite")
    with ErrorLog(log) as told, closing(sqlite3.connect(log)) as writer:
        told.record(run="1", action="close")
        assert told.flush(10)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO fusion_calls SELECT * FROM fusion_calls")
        assert counted(log).total.calls == 1
        writer.rollback()


@pytest.mark.parametrize("kind", ["trino", "snowflake", "bigquery"])
def test_an_engine_that_is_not_there_is_named_with_what_to_install(kind: str) -> None:
    with pytest.raises(FusionError) as caught:
        counted(f"{kind}://me:hunter2@host/catalog?password=hunter2")
    assert str(caught.value) == (
        f"reading {kind}://host/catalog needs what Ibis has for {kind}, which is not installed; "
        f"pip install 'ibis-framework[{kind}]'"
    )


def test_a_url_of_no_engine_is_refused() -> None:
    with pytest.raises(FusionError) as caught:
        counted("https://me:hunter2@host/log.jsonl")
    assert str(caught.value) == (
        "no engine reads https://host/log.jsonl; name a file, postgresql://HOST/DATABASE or another URL that Ibis knows"
    )


def test_a_file_is_named_by_its_path_and_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(FusionError) as caught:
        counted(f"sqlite://{tmp_path}/log.sqlite")
    assert str(caught.value) == f"sqlite://{tmp_path}/log.sqlite is a file; name it by its path: fusion report PATH"
    assert list(tmp_path.iterdir()) == []


def test_a_url_is_shown_without_its_password() -> None:
    with pytest.raises(FusionError) as caught:
        counted("postgresql://me:hunter2@127.0.0.1:1/test")
    assert str(caught.value).startswith("cannot read postgresql://127.0.0.1:1/test: ")
    assert "hunter2" not in str(caught.value)


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.jsonl").touch()
    monkeypatch.setattr("fusion_contracts.loop.usage.refusals.find_spec", lambda _: None)
    for log, library in ((str(tmp_path / "log.jsonl"), "duckdb"), ("postgresql://me:hunter2@127.0.0.1/test", "ibis")):
        with pytest.raises(FusionError) as caught:
            counted(log)
        named = log.replace("me:hunter2@", "")
        wanted = f"reading {named} needs {library}, which is not installed; pip install 'fusion-contracts[report]'"
        assert str(caught.value) == wanted
