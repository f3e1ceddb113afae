"""Whether calling again can help: decided by the code, and by a time to wait where the code does not say."""

from __future__ import annotations

from fusion_contracts.runtime.fault import ToolFault, tool_error

__all__ = ["advised", "can_help"]

# The same call meets the same answer.
_NEVER = frozenset(
    {
        "MISSING_DISCRIMINATOR", "UNKNOWN_ACTION", "VALIDATION_ERROR", "MISSING_REQUIRED_FIELD", "UNAUTHORIZED",
        "FORBIDDEN", "NOT_FOUND", "DEPRECATED", "AUTH_REQUIRED", "HANDOFF_NAMESPACE_MISMATCH", "RETRY_LIMIT",
        "CONTRACT_CHANGED",
    }
)  # fmt: skip

# The cause passes by itself. UNKNOWN: a failure of which nothing is known may be such a one.
_YES = frozenset(
    {"TIMEOUT", "RATE_LIMITED", "SERVER_BUSY", "HANDOFF_UPSTREAM_UNAVAILABLE", "HANDOFF_CONNECTING", "UNKNOWN"}
)


_LATER = "The cause may pass: the same call may succeed later. If it changes something, check first whether it did."
_AGAIN = "The same call will fail again: change it, or do without."


_ADVICE = dict.fromkeys(_NEVER, _AGAIN) | dict.fromkeys(_YES - {"UNKNOWN"}, _LATER)


def advised(code: str, message: str, *, retry_after: float | None = None) -> ToolFault:
    """A fault that says of trying again what its code does: for a failure of which nothing else is known."""
    return tool_error(code, message, suggestion=_ADVICE.get(code), retry_after=retry_after)


def can_help(fault: ToolFault) -> bool:
    """Whether the same call, made again, may succeed.

    Any other code (CONFLICT, INTERNAL_ERROR, your own) says by `retry_after` that it may. A warning is no failure.
    """
    plain = fault.fault
    if not plain.is_error or plain.code in _NEVER:
        return False
    return plain.code in _YES or plain.retry_after is not None
