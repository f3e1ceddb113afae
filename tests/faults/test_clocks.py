"""Clocks that jump, forward and back: what is kept is kept, and nothing is written that a clock could spoil."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from writing import CLOSE, NARROW, catalog, quietly

from fusion_contracts.loop.idempotency import Ledger, idempotent
from fusion_contracts.loop.stores import open_store

DAY = 86_400.0


class Clock:
    """Seconds that stand still until a test moves them."""

    def __init__(self) -> None:
        self.now = 1_793_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("kind", ["memory:", "sqlite:///store.sqlite"])
def test_a_value_outlives_a_clock_that_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """It is kept for longer, never for less; behind a jump forward its time is over, and it can be written anew."""
    monkeypatch.chdir(tmp_path)
    clock = Clock()
    store = open_store(kind, clock=clock)
    try:
        assert store.replace("a", None, b"1", ttl=60)
        clock.now -= 10 * DAY
        assert store.get("a") == b"1"
        assert not store.replace("a", None, b"2", ttl=60)
        assert store.replace("a", b"1", b"2", ttl=60)
        clock.now += 30
        assert store.get("a") == b"2"
        clock.now += 10 * DAY
        assert store.get("a") is None
        assert store.replace("a", None, b"3", ttl=60)
    finally:
        store.close()


@pytest.mark.parametrize("jump", [-400 * DAY, -60.0, 60.0])
def test_an_effect_happens_once_whatever_the_clock_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    monkeypatch.chdir(tmp_path)
    clock, paid = Clock(), []
    store = open_store("sqlite:///store.sqlite", clock=clock)
    ledger = Ledger(store, clock=clock)

    @idempotent("ref", ledger=ledger, scope="t")
    def pay(ref: str, amount: int) -> int:
        paid.append(amount)
        clock.now += jump  # while it runs
        return amount

    try:
        assert pay("k", 5) == 5
        assert pay("k", 5) == 5
        clock.now += jump
        assert pay("k", 5) == 5
    finally:
        store.close()
    assert paid == [5]


def test_a_waiver_holds_by_its_day_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fusion: Callable[..., Any]
) -> None:
    """Back from a jump it holds again: that it was over was written nowhere."""
    monkeypatch.chdir(tmp_path)
    catalog("one.json", CLOSE)
    catalog("two.json", NARROW)
    Path("fusion.toml").write_text(
        '[[waivers]]\nrule = "enum-value-removed"\nreason = "agreed"\nuntil = 2026-06-30\n', encoding="utf-8"
    )
    before = Path("fusion.toml").read_bytes()
    codes = []
    for day in (date(2026, 6, 30), date(2026, 7, 1), date(1970, 1, 1), date(2099, 1, 1), date(2026, 6, 1)):
        monkeypatch.setattr("fusion_contracts.cli.judging.today", lambda day=day: day)
        codes.append(fusion("diff", "one.json", "two.json").code)
    assert codes == [0, 1, 0, 1, 0]
    assert Path("fusion.toml").read_bytes() == before


def test_releases_are_in_the_order_in_which_they_were_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a number in the file: times of files, which a checkout makes new, say nothing."""
    monkeypatch.chdir(tmp_path)
    for number, tools in enumerate(((CLOSE,), (NARROW,), (CLOSE, {**NARROW, "name": "other"}))):
        catalog("pages.json", *tools)
        assert [quietly("lock", "pages.json"), quietly("release", f"{number}.0")] == [0, 0]
        os.utime(f".fusion/releases/pages/{number}.0.lock", (1e9 - number * DAY,) * 2)
    assert quietly("release", "3.0", "--keep", "2") == 0
    assert sorted(path.name for path in Path(".fusion/releases/pages").iterdir()) == ["1.0.lock", "2.0.lock"]


def test_a_lock_holds_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    catalog("pages.json", CLOSE)
    assert quietly("lock", "pages.json") == 0
    first = Path("fusion.lock").read_bytes()
    for time in (0, 4e9):
        os.utime("fusion.lock", (time, time))
        os.utime("pages.json", (time, time))
        assert [quietly("lock"), quietly("lock", "--check")] == [0, 0]
        assert Path("fusion.lock").read_bytes() == first
    assert json.loads(Path("pages.json").read_bytes())["tools"] == [CLOSE]
