"""The loop that calls tools: what came back, how often to try, and effects that happen once.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_contracts import on_first_use

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

__getattr__, __dir__ = on_first_use(__name__, _HOMES, __all__)
