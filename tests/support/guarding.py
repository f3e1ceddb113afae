"""What the tests of the guard share."""

from __future__ import annotations

from typing import Any

from fusion_contracts import ToolFault, tool_error
from fusion_contracts.loop import Outcome, RetryGuard, ToolCall

MISSING = tool_error("NOT_FOUND", "No page.")
SLOW = tool_error("TIMEOUT", "Slow.", retry_after=2)


def call(action: str = "close_page", run: str = "", **arguments: Any) -> ToolCall:
    return ToolCall(action, arguments, run=run)


def ended(guard: RetryGuard, made: ToolCall, given: Any) -> ToolFault | None:
    """The refusal of a call, or None for one that ran and ended so."""
    refused = guard.before(made)
    if refused is None:
        guard.after(made, Outcome.of(given))
    return refused


def scope(refused: ToolFault | None) -> str | None:
    return None if refused is None else refused.details["scope"]
