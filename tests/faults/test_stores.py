"""Stores and logs of an agent's loop on a disk that takes nothing: a clear error, no effect without its record."""

from __future__ import annotations

import json
import logging
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.loop.idempotency import Ledger, idempotent
from fusion_contracts.loop.log import ErrorLog
from fusion_contracts.loop.stores import StoreError, open_store
from fusion_contracts.runtime import ToolFault

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file systems of POSIX")


@pytest.mark.parametrize("way", ["fill", "protect"])
def test_a_store_that_cannot_write_says_so_and_keeps_what_it_has(disk: Any, way: str) -> None:
    store = open_store("sqlite:///store.sqlite")
    assert store.replace("a", None, b"1")
    store.close()
    getattr(disk, way)()
    store = open_store("sqlite:///store.sqlite")
    with pytest.raises(StoreError, match=r"^the store store\.sqlite cannot be used \("):
        _write_much(store)
    store.close()
    if way == "fill":
        Path("filler").unlink()
        store = open_store("sqlite:///store.sqlite")
        assert store.get("a") == b"1"
        assert store.replace("c", None, b"3")
        store.close()


def _write_much(store: Any) -> None:
    for number in range(500):
        store.replace(f"b{number}", None, b"2" * 4_096)


def test_no_effect_begins_where_its_record_cannot_be_written(disk: Any) -> None:
    done: list[int] = []
    disk.fill()
    store = open_store("sqlite:///store.sqlite")

    @idempotent("ref", ledger=Ledger(store), scope="t")
    def pay(ref: str, amount: int) -> int:
        done.append(amount)
        return amount

    with pytest.raises(ToolFault) as caught:
        pay("k", 5)
    store.close()
    assert done == []
    assert (caught.value.code, caught.value.severity) == ("SERVER_BUSY", "error")


@pytest.mark.parametrize("name", ["log.sqlite", "log.jsonl"])
@pytest.mark.parametrize("way", ["fill", "protect"])
def test_a_log_loses_entries_and_breaks_no_call(
    disk: Any, caplog: pytest.LogCaptureFixture, name: str, way: str
) -> None:
    with ErrorLog(name) as log:
        log.record(run="1", action="a")
    getattr(disk, way)()
    with caplog.at_level(logging.WARNING, "fusion_contracts.loop"), ErrorLog(name) as log:
        for _ in range(200):
            log.record(run="2", action="a" * 100)
    (warning,) = [record.getMessage() for record in caplog.records]
    assert warning.startswith(f"The error log {name} cannot be written (")
    assert warning.endswith("): entries are lost, the calls go on")
    if way == "fill":
        Path("filler").unlink()
        with ErrorLog(name) as log:
            log.record(run="3", action="b")
        assert _runs(name)[0] == "1"
        assert _runs(name)[-1] == "3"


def _runs(name: str) -> list[str]:
    if name.endswith(".sqlite"):
        connection = sqlite3.connect(name)
        found = [row[0] for row in connection.execute("SELECT run FROM fusion_calls")]
        connection.close()
        return found
    found = []
    for line in Path(name).read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):  # the one that was cut off
            found.append(json.loads(line)["run"])
    return found
