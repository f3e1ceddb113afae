"""The canonical error codes and severities: closed for completion, open for codes of one's own."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["CODES", "IN_PLACE", "SEVERITIES", "Code", "KnownCode", "Severity"]

KnownCode: TypeAlias = Literal[
    "MISSING_DISCRIMINATOR",
    "UNKNOWN_ACTION",
    "VALIDATION_ERROR",
    "MISSING_REQUIRED_FIELD",
    "INTERNAL_ERROR",
    "RATE_LIMITED",
    "UNAUTHORIZED",
    "FORBIDDEN",
    "NOT_FOUND",
    "CONFLICT",
    "TIMEOUT",
    "SERVER_BUSY",
    "DEPRECATED",
    "AUTH_REQUIRED",
    "HANDOFF_UPSTREAM_UNAVAILABLE",
    "HANDOFF_NAMESPACE_MISMATCH",
    "HANDOFF_CONNECTING",
    "RETRY_LIMIT",  # ours, not the original's: the loop itself answers, the tool did not run
    "CONTRACT_CHANGED",  # ours too: a client's guard answers, nothing was sent
]
"""What an editor offers."""

Code: TypeAlias = KnownCode | str
"""What is accepted: a canonical code, or one of your own. The union is not simplified, so that completion survives."""

Severity: TypeAlias = Literal["error", "critical", "warning"]
"""`error` and `critical` (must not be repeated blindly) are failures; `warning` travels on the success path."""

CODES: tuple[str, ...] = get_args(KnownCode)
SEVERITIES: tuple[str, ...] = get_args(Severity)

IN_PLACE = frozenset({"RETRY_LIMIT", "CONTRACT_CHANGED"})
"""The codes with which a guard answers in the tool's place."""
