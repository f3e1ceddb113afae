"""The loop that calls tools: what came back, how often to try, and effects that happen once.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fusion_contracts.loop.batch import run_batch, run_batch_sync
    from fusion_contracts.loop.outcome import Outcome
    from fusion_contracts.loop.partial_result import FailedItem, PartialResult, empty, partial
    from fusion_contracts.loop.stores import MemoryStore, Store, StoreError

__all__ = [
    "FailedItem", "MemoryStore", "Outcome", "PartialResult", "Store", "StoreError", "empty", "partial",
    "run_batch", "run_batch_sync",
]  # fmt: skip

_HOMES = {
    "FailedItem": "partial_result",
    "MemoryStore": "stores",
    "Outcome": "outcome",
    "PartialResult": "partial_result",
    "Store": "stores",
    "StoreError": "stores",
    "empty": "partial_result",
    "partial": "partial_result",
    "run_batch": "batch",
    "run_batch_sync": "batch",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'fusion_contracts.loop' has no attribute {name!r}")
    value = getattr(import_module(f"fusion_contracts.loop.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
