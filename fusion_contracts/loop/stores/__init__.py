"""Where a loop keeps what it must not forget: one small protocol, one file a database."""

from __future__ import annotations

from fusion_contracts.loop.stores.base import Store, StoreError
from fusion_contracts.loop.stores.memory import MemoryStore
from fusion_contracts.loop.stores.off_loop import OffLoop
from fusion_contracts.loop.stores.opening import open_store

__all__ = ["MemoryStore", "OffLoop", "Store", "StoreError", "open_store"]
