"""Effects that happen once: a tool's call is known by its key, and repeated it gives the first call's result."""

from __future__ import annotations

from fusion_contracts.loop.idempotency.decorator import idempotent
from fusion_contracts.loop.idempotency.faults import META_KEY, OUTCOME_UNKNOWN, RESULT_NOT_KEPT
from fusion_contracts.loop.idempotency.keys import derived, key_of, keyed
from fusion_contracts.loop.idempotency.ledger import Ledger
from fusion_contracts.loop.idempotency.results import no_effect

__all__ = [
    "META_KEY", "OUTCOME_UNKNOWN", "RESULT_NOT_KEPT", "Ledger", "derived", "idempotent", "key_of", "keyed", "no_effect",
]  # fmt: skip
