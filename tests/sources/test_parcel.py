"""What travels to a worker, and what the worker makes of it."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.environment import Beside
from fusion_contracts.sources.parcel import packed, read_server
from fusion_contracts.sources.stdio import StdioSource
from fusion_contracts.sources.unit import Task


def test_a_folder_that_the_worker_cannot_look_at_is_an_empty_one(root: Path) -> None:
    source = StdioSource((sys.executable, str(root / "fixtures" / "servers" / "plain.py")))
    there = Path("/") / ("long" * 100)  # as one below a folder of another user: the system says neither yes nor no
    answer = read_server(packed(Task(source, Options(there, "plain")), "run"))
    assert answer.problem is None
    assert answer.reading is not None
    assert [contract.name for contract in answer.reading.contracts] == ["plain"]


def test_of_nested_environments_only_what_was_given_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERE_ALONE", "stays-here")
    given = Beside({"A": "1"}, Beside({"B": "2"}))
    sealed = pickle.dumps(given)
    assert b"stays-here" not in sealed
    monkeypatch.setenv("HERE_ALONE", "found-there")
    arrived = pickle.loads(sealed)
    assert [arrived[name] for name in ("A", "B", "HERE_ALONE")] == ["1", "2", "found-there"]
