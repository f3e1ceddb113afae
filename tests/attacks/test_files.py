"""Files that a pull request or a download brings: each is read, or refused in one sentence, and never for ever."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log.entry import COLUMNS
from fusion_contracts.loop.usage.counting import count, servers
from fusion_contracts.loop.usage.engines import opened
from fusion_contracts.loop.usage.queries import Filter
from fusion_contracts.model import ServerContract
from fusion_contracts.report.lint import lint
from fusion_contracts.report.usability import FORMATS, render
from fusion_contracts.report.usability.model import Period, Report
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.catalog import read_catalog
from fusion_contracts.sources.client_config import ClientConfigSource
from fusion_contracts.sources.client_document import parse_document
from fusion_contracts.sources.clients import entries_of
from fusion_contracts.sources.formats import openapi
from fusion_contracts.sources.resolve import resolve
from fusion_contracts.sources.sniff import Kind, kind_of
from fusion_contracts.sources.sse_events import events

# --- client configurations -------------------------------------------------------------------------------------------


def problem(entry: Any, folder: Path) -> str:
    """What is said of the one server of a configuration, whether of its entry or of an attempt to start it."""
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"s": entry}}), encoding="utf-8")
    reading = ClientConfigSource(Path("mcp.json")).read(Options(root=folder))
    (one,) = reading.problems
    return one.message


LONG = "a" * 5000


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"command": "a\0b"}, "the command a\\u{0}b is not on PATH"),
        ({"command": "\ud800"}, "the command \\u{d800} is not on PATH"),
        ({"command": "/\ud800"}, "the command /\\u{d800} does not exist"),
        ({"command": f"/{LONG}"}, f"the command /{LONG} does not exist"),
        ({"command": sys.executable, "args": ["\ud800"]},
         f"cannot start {sys.executable}: it or its environment holds half a character"),
        ({"command": sys.executable, "args": ["\0"]}, f"cannot start {sys.executable}: embedded null byte"),
        ({"command": "x" * 200_000}, "its entry holds a text of more than 128 KiB"),
        ({"command": "x", "args": ["y" * 3_000_000]}, "its entry holds a text of more than 128 KiB"),
        ({"command": "x", "cwd": LONG}, f"its folder {LONG} does not exist"),
        ({"command": "x", "cwd": "\0"}, "its folder \\u{0} does not exist"),
        ({"command": "x", "envFile": "\0"}, "its envFile \\u{0} has no name for a file"),
        ({"command": "x", "envFile": "\ud800"}, "its envFile \\u{d800} has no name for a file"),
        ({"command": "x", "envFile": "/dev/zero"}, "its envFile /dev/zero is not a plain file"),
        ({"command": "x", "env_vars": ["A=B"]}, "its env_vars holds what is no variable's name"),
        ({"command": "x", "env_vars": ["\ud800"]}, "its env_vars holds what is no variable's name"),
        ({"command": "x", "env": {"A": 10**1000}}, "its env is no table of texts"),
        ({"url": "http://a/\ud800"}, "the URL http://a/\\u{d800} holds a space or a control character"),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
@pytest.mark.skipif(sys.platform == "win32", reason="names and devices of POSIX")
def test_an_entry_that_no_system_takes(entry: Any, sentence: str, tmp_path: Path) -> None:
    assert problem(entry, tmp_path) == sentence


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_file_of_variables_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert problem({"command": "x", "envFile": "pipe"}, tmp_path) == "its envFile pipe is not a plain file"


def test_megabytes_of_line_ends_are_looked_at_once() -> None:
    assert parse_document(b"mcp x" + b"\n" * (4 * 2**20 - 5), "x") is None
    assert kind_of(b"x" + b"\n" * 65_535, "x") is Kind.UNKNOWN


def test_a_large_file_with_comments_is_not_read_by_the_slow_reader() -> None:
    data = b'{"mcpServers": {"a": {"command": "x", "args": [' + b'"a", ' * 60_000 + b"],},}}"
    with pytest.raises(FusionError) as caught:
        parse_document(data, "mcp.json")
    assert str(caught.value) == (
        "mcp.json is not JSON: line 1, column 300048: expecting value; "
        "correct it; comments are read in a file of at most 256 KiB"
    )


def test_keys_that_make_toml_as_deep_as_they_are_many() -> None:
    parts = ".".join(["a"] * 900)
    text = f"[mcp_servers.s]\nurl = 'http://x'\n[mcp_servers.s.{parts}]\n{parts} = 1\n"
    document = parse_document(text.encode(), "x")
    assert document is not None
    (entry,), problems = entries_of(document)
    assert (entry.url, problems) == ("http://x", [])


def test_of_a_file_without_an_end_so_much_is_read_as_counts(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b'{"mcpServers": {}}')
    with path.open("r+b") as file:
        file.truncate(2**40)  # takes no room on the disk, and would take all memory
    with pytest.raises(FusionError, match=r"^mcp\.json "):
        resolve("mcp.json", (), Options(root=tmp_path)).read(Options(root=tmp_path))


# --- OpenAPI documents, schemas --------------------------------------------------------------------------------------


def api(schema: Any, definitions: Any, operations: int = 1) -> Any:
    content = {"content": {"application/json": {"schema": schema}}}
    paths = {f"/{number}": {"get": {"responses": {"200": content}}} for number in range(operations)}
    return {"openapi": "3.1.0", "info": {"title": "x"}, "paths": paths, "components": {"schemas": definitions}}


def contract(document: Any) -> ServerContract:
    (one,) = read_catalog(document, origin="api.json", path="api.json", options=Options()).contracts
    return one


def test_a_schema_that_is_a_list_of_references() -> None:
    found = read_catalog(
        api([{"$ref": "#/components/schemas/a"}], {"a": {}}), origin="x", path="x", options=Options(name="s")
    )
    (said,) = found.problems
    assert said.message == "tool get_0 is refused: its output schema is a list, neither a JSON object nor null"


def test_operations_that_refer_to_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openapi, "MOST_HELD", 1000)
    chain = {f"d{one}": {"properties": {"n": {"$ref": f"#/components/schemas/d{one + 1}"}}} for one in range(20)}
    document = api({"$ref": "#/components/schemas/d0"}, chain, operations=10)
    assert len(contract(document).tools) == 10
    with pytest.raises(FusionError, match=r"^api\.json holds more than is read: its operations refer to so much; "):
        contract({**document, "paths": api({"$ref": "#/components/schemas/d0"}, chain, operations=20)["paths"]})


def test_a_schema_of_an_unknown_dialect_inside_another_is_no_fault_of_the_linter() -> None:
    inside = {"type": "object", "properties": {"a": {"$schema": "https://example.com/own"}}}
    (one,) = read_catalog(
        {"tools": [{"name": "t", "inputSchema": inside}]}, origin="x", path="x", options=Options(name="s")
    ).contracts
    assert all(breach.server == "s" for breach in lint(one))


# --- event streams ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_an_event_is_the_same_however_its_bytes_arrive(end: bytes, size: int) -> None:
    data = end.join([b"event: a", b"data: 1", b"", b"data: 2", b"data: 3", b"", b""]) + b"\n"
    whole = list(events([data]))
    assert [event.data for event in whole] == [b"1", b"2\n3"]
    assert list(events(data[at : at + size] for at in range(0, len(data), size))) == whole


# --- logs: tests/loop/usage/test_refusals.py has more -----------------------------------------------------------------

PLAIN = {
    "id": 1, "time_us": 1_700_000_000_000_000, "run": "r", "server": "s", "tool": "t", "action": "a",
    "outcome": "execution_error", "deltas": 0, "attempt": 1, "stopped": 0,
}  # fmt: skip
ODD: list[dict[str, Any]] = [
    {"time_us": "soon"}, {"time_us": 2**62}, {"time_us": -(2**62)}, {"time_us": 1.5}, {"time_us": None},
    {"server": None}, {"server": b"\xff"}, {"server": 5}, {"server": "a\0b"}, {"action": None}, {"code": 7},
    {"fields": 3}, {"stopped": 9}, {"stopped": "x"}, {"run": None}, {"deltas": "x"}, {"tokens": "many"},
    {"outcome": None}, {"tokens": 2**62, "model_calls": -(2**62)},
]  # fmt: skip


def log_of(path: Path, rows: list[dict[str, Any]]) -> str:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE fusion_calls ({', '.join(COLUMNS)})")
        for row in rows:
            values = [{**dict.fromkeys(COLUMNS), **PLAIN, **row}[name] for name in COLUMNS]
            connection.execute(f"INSERT INTO fusion_calls VALUES ({', '.join('?' * len(COLUMNS))})", values)
    return str(path)


def reported(log: str) -> Period:
    """The numbers of a log, of which every format can be written and shown."""
    with opened(log) as engine:
        names = servers(engine)
        period = count(engine, Filter(servers=names), "")
    for form in FORMATS:
        text = render(form, Report("x", (period,), ()))
        text.encode()
        assert not [line for line in text.split("\n") if HIDDEN.search(line)]
    return period


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_a_row_that_no_log_of_ours_holds_is_counted_or_refused(odd: dict[str, Any], tmp_path: Path) -> None:
    log = log_of(tmp_path / "log.db", [{}, odd])
    with suppress(FusionError):
        assert reported(log).total.calls <= 2


@pytest.mark.parametrize("fields", ["[" * 100_000, '["\\ud800", "\\u001b[2J", "\\u202e"]', '{"a": 1}', "9" * 5000])
def test_fields_that_anybody_wrote(fields: str, tmp_path: Path) -> None:
    period = reported(log_of(tmp_path / "log.db", [{"fields": fields, "code": "\x1b[31m\u202e`|<b>"}]))
    assert period.total.errors == 1


def test_a_view_of_sqlite_that_counts_for_ever_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
    with closing(sqlite3.connect(path)) as connection, connection:
        columns = ", ".join(f"x AS {name}" for name in COLUMNS)
        connection.execute(f"CREATE VIEW fusion_calls AS {endless} SELECT {columns} FROM n")
    with pytest.raises(FusionError) as caught:
        reported(str(path))
    assert str(caught.value) == (
        f"{path} holds fusion_calls as a view, and not as a table; name a log that ErrorLog wrote"
    )


def test_a_database_whose_own_words_are_broken(tmp_path: Path) -> None:
    path = Path(log_of(tmp_path / "log.db", [{}]))
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE fusion_calls (", b"CREATE TABLE fusion_calls \xa6"))
    with pytest.raises(FusionError) as caught:
        reported(str(path))
    assert str(caught.value).startswith(f"cannot read {path}: ")
