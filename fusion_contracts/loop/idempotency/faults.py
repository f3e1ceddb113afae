"""What the caller is told instead of a second effect."""

from __future__ import annotations

from datetime import UTC, datetime

from fusion_contracts.canonical import shortened
from fusion_contracts.loop.idempotency.record import Record
from fusion_contracts.runtime.fault import ToolFault, tool_error

__all__ = [
    "META_KEY", "OUTCOME_UNKNOWN", "RESULT_NOT_KEPT", "bad_key", "in_flight", "incomparable", "no_key", "not_kept",
    "other_arguments", "outcome_unknown", "unreachable",
]  # fmt: skip

META_KEY = "io.github.fusion-contracts/idempotency-key"
"""Where a call's `_meta` carries its key."""

OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
RESULT_NOT_KEPT = "RESULT_NOT_KEPT"

_IN_FLIGHT = 2  # seconds after which asking again is worth it
_UNREACHABLE = 5


def other_arguments(key: str) -> ToolFault:
    """The key stands for another call."""
    return tool_error(
        "CONFLICT",
        f"The idempotency key {shortened(key)} was used before with other arguments; nothing was done.",
        suggestion="Send the first call's arguments to get its result, or a new key for a new operation.",
    )


def in_flight(key: str) -> ToolFault:
    """The first call has not ended, and its process is alive."""
    return tool_error(
        "CONFLICT",
        f"A call with the idempotency key {shortened(key)} is still running; nothing was done beside it.",
        suggestion="Wait, then call again with the same key and arguments: you get the result of the running call.",
        retry_after=_IN_FLIGHT,
    )


def outcome_unknown(key: str, record: Record, *, renewable: bool) -> ToolFault:
    """The first call never said how it ended, or failed where the effect may have begun.

    `renewable`: whoever calls can choose another key.
    """
    failed = record.content.get("failed")
    how = f"failed ({failed})" if failed else "never reported its end"
    verify = "Verify before you retry: look whether the effect is there. "
    other = "Only if it is not, call again with a new key." if renewable else "Report what you find; do not repeat it."
    return tool_error(
        OUTCOME_UNKNOWN,
        f"Outcome unknown: an earlier call with the idempotency key {shortened(key)} began and {how}; "
        "it may have taken effect.",
        suggestion=verify + other,
        details={"begun": datetime.fromtimestamp(record.at, UTC).isoformat(timespec="seconds")},
        severity="critical",
    )


def not_kept(key: str, why: str) -> ToolFault:
    """The first call succeeded, and its result cannot be shown again: guidance on the success path."""
    return tool_error(
        RESULT_NOT_KEPT,
        f"The call with the idempotency key {shortened(key)} was already made and succeeded; "
        f"its result could not be kept: {why}.",
        suggestion="Do not repeat it. Read the state with another tool if you need what it returned.",
        severity="warning",
    )


def unreachable() -> ToolFault:
    """No record can be written, so no effect may begin."""
    return tool_error(
        "SERVER_BUSY",
        "The store of idempotency keys does not answer; nothing was done.",
        suggestion="Wait, then call again with the same key and arguments.",
        retry_after=_UNREACHABLE,
    )


def no_key(tool: str, argument: str | None) -> ToolFault:
    """A write that is not declared idempotent came without a key."""
    where = f"as the argument {argument}" if argument else f"in _meta as {META_KEY}"
    return tool_error(
        "MISSING_REQUIRED_FIELD",
        f"{tool} changes something, and this call has no idempotency key; nothing was done.",
        suggestion=f"Send one {where}: a new one for each new operation, the same one when you repeat a call.",
    )


def bad_key(what: str) -> ToolFault:
    """The key is no key."""
    return tool_error(
        "VALIDATION_ERROR",
        f"An idempotency key is a text of 1 to 255 characters, not {what}; nothing was done.",
        suggestion="Send a shorter text that is unique to the operation, such as a UUID.",
    )


def incomparable(argument: str) -> ToolFault:
    """Arguments that have no canonical form cannot be told from others."""
    return tool_error(
        "VALIDATION_ERROR",
        f"The argument {shortened(argument)} cannot be compared with that of another call; nothing was done.",
        suggestion="Send it as JSON, with finite numbers.",
    )
