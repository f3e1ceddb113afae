"""Every store, as a test's parameter; a ledger in memory, and its clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from repeating import Clock
from store_fixtures import kind, postgres, store, url

from fusion_contracts.loop.idempotency import Ledger
from fusion_contracts.loop.stores import MemoryStore

__all__ = ["kind", "postgres", "store", "url"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> Iterator[Ledger]:
    made = Ledger(MemoryStore(clock=clock), clock=clock)
    yield made
    made.close()
