"""The loop that calls tools: what came back, how often to try, and effects that happen once.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fusion_contracts.loop.batch import run_batch, run_batch_sync
    from fusion_contracts.loop.calls import ToolCall
    from fusion_contracts.loop.idempotency import Ledger, derived, idempotent, key_of, keyed, no_effect
    from fusion_contracts.loop.limits import Limits
    from fusion_contracts.loop.outcome import Outcome
    from fusion_contracts.loop.partial_result import FailedItem, PartialResult, empty, partial
    from fusion_contracts.loop.retry_guard import AsyncRetryGuard, RetryGuard
    from fusion_contracts.loop.stores import MemoryStore, Store, StoreError, open_store

__all__ = [
    "AsyncRetryGuard", "FailedItem", "Ledger", "Limits", "MemoryStore", "Outcome", "PartialResult",
    "RetryGuard", "Store", "StoreError", "ToolCall", "derived", "empty", "idempotent", "key_of", "keyed",
    "no_effect", "open_store", "partial", "run_batch", "run_batch_sync",
]  # fmt: skip

_HOMES = {
    "AsyncRetryGuard": "retry_guard",
    "FailedItem": "partial_result",
    "Ledger": "idempotency",
    "Limits": "limits",
    "MemoryStore": "stores",
    "Outcome": "outcome",
    "PartialResult": "partial_result",
    "RetryGuard": "retry_guard",
    "Store": "stores",
    "StoreError": "stores",
    "ToolCall": "calls",
    "derived": "idempotency",
    "empty": "partial_result",
    "idempotent": "idempotency",
    "key_of": "idempotency",
    "keyed": "idempotency",
    "no_effect": "idempotency",
    "open_store": "stores",
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
