"""Shared by the tests of `fusion waive`: the day, and a repository with something to accept."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

TODAY = date(2026, 12, 1)


@pytest.fixture(autouse=True)
def _day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fusion_contracts.cli.judging.today", lambda: TODAY)


@pytest.fixture
def changed(repository: Any, close_page: Any, close_page_v2: Any) -> Any:
    """A repository whose lock lost an enum value since the base; its server answers as the lock says."""
    repository.change_since_base("pages", close_page, close_page_v2)
    return repository
