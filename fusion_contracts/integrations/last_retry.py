"""The end of a framework's retries, told to the model: which attempts there were, and what was wrong with each."""

from __future__ import annotations

from collections.abc import Iterable

from fusion_contracts.runtime.client import parse_tool_error
from fusion_contracts.runtime.echo import clip
from fusion_contracts.runtime.fault import ToolFault, tool_error

__all__ = ["no_retry_left"]

_CODE = "RETRY_LIMIT"
_LONGEST = 300  # characters of one attempt
_MOST = 5  # attempts that are named; the last are the most telling


def no_retry_left(tool: str, attempts: Iterable[str]) -> ToolFault:
    """The RETRY_LIMIT fault for the texts with which each attempt was answered, the last one included."""
    texts = list(attempts)
    first = max(len(texts) - _MOST, 0)
    return tool_error(
        _CODE,
        f"{clip(tool)} failed {len(texts)} times, and no retry is left.",
        suggestion=f"Do not call {clip(tool)} again in this run. Go on without it or report what is missing.",
        details={f"attempt {number}": _told(text) for number, text in enumerate(texts[first:], start=first + 1)},
        severity="critical",
    )


def _told(text: str) -> str:
    """What was wrong, in one line: the fields of a validation error, the message of any other."""
    fault = parse_tool_error(text)
    if fault is None:
        return clip(text, _LONGEST)
    if fault.code == _CODE and fault.details:  # the end was reached before: of that call its own attempt
        return [*fault.details.values()][-1]
    lines = [f"{name}: {line}" for name, line in fault.details.items()] if fault.code == "VALIDATION_ERROR" else []
    return clip(" ".join(lines) or fault.message, _LONGEST)
