"""A call's end as JSON, and back: results that are replayed, faults, and failures nobody knows the effect of."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from fusion_contracts.loop.idempotency.record import Ending
from fusion_contracts.runtime.fault import ToolFault, tool_error
from fusion_contracts.runtime.raising import fresh, passes

__all__ = ["BEFORE_EFFECT", "Results", "failed", "no_effect"]

BEFORE_EFFECT = frozenset(
    {
        "AUTH_REQUIRED",
        "FORBIDDEN",
        "MISSING_DISCRIMINATOR",
        "MISSING_REQUIRED_FIELD",
        "RATE_LIMITED",
        "SERVER_BUSY",
        "UNAUTHORIZED",
        "UNKNOWN_ACTION",
        "VALIDATION_ERROR",
    }
)
"""Codes that say by their meaning that a call was turned away before anything was done."""

_UNSURE = frozenset({"HANDOFF_UPSTREAM_UNAVAILABLE", "INTERNAL_ERROR", "TIMEOUT"})
_MOST = 1_000_000  # bytes of a result that are kept
_MARK = "before_effect"


def no_effect(fault: ToolFault) -> ToolFault:
    """The same fault, declared to come before the effect: nothing is stored, and the key may be used again."""
    marked = fresh(fault.fault)
    marked.__dict__[_MARK] = True
    return marked


def failed(error: BaseException) -> Ending | None:
    """The end of a call that raised, or returned a fault; None where the effect never began.

    A fault is the tool's own word: one that `no_effect` marks, or whose code is in `BEFORE_EFFECT`, came before the
    effect; a critical one, TIMEOUT, INTERNAL_ERROR and HANDOFF_UPSTREAM_UNAVAILABLE leave it open; any other is the
    result. An exception by which a framework steers the run (ask for approval, ask the model again) comes before the
    effect. After any other exception, and after cancellation, the effect may be there or not.
    """
    if isinstance(error, ToolFault):
        return _fault_ending(error)
    if isinstance(error, Exception) and passes(error) and type(error).__name__ != "CancelledError":
        return None
    return Ending("unknown", {"failed": _kind(error)})


def _fault_ending(fault: ToolFault) -> Ending | None:
    if fault.__dict__.get(_MARK) or (fault.code in BEFORE_EFFECT and fault.is_error):
        return None
    if fault.severity == "critical" or (fault.code in _UNSURE and fault.is_error):
        return Ending("unknown", {"failed": fault.code})
    return Ending("ended", {"fault": _fields(fault), "raised": True})


def _kind(error: BaseException) -> str:
    """The nearest of Python's own exception classes, or that it was cancelled: nothing that data can choose."""
    if type(error).__name__ == "CancelledError":
        return "cancelled"
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


class Results:
    """How one tool's results are kept: JSON as it is, other types by the function's return annotation, and pydantic."""

    def __init__(self, annotation: Any) -> None:
        """`annotation` is the return annotation, resolved; None where there is none."""
        self._annotation = annotation

    def ended(self, value: Any) -> Ending | None:
        """The end of a call that returned. A returned fault is as a raised one, but returned again."""
        if isinstance(value, ToolFault):
            ending = _fault_ending(value.fault)
            known = ending is not None and ending.state == "ended"
            return Ending("ended", {"fault": _fields(value.fault), "raised": False}) if known else ending
        content, why = self._content(value)
        return Ending("ended", content if why is None else {"unkept": why})

    def replayed(self, content: dict[str, Any], *, unkept: Callable[[str], ToolFault]) -> Any:
        """What the first call returned. Raises the fault that it raised; `unkept` makes the one for a lost result."""
        if "fault" in content:
            fault = _fault(content["fault"])
            if content["raised"]:
                raise fault
            return fault
        if "unkept" in content:
            return unkept(content["unkept"])
        if "typed" in content:
            return self._adapter().validate_json(content["typed"])
        return content["value"]

    def _content(self, value: Any) -> tuple[dict[str, Any], str | None]:
        """What is kept, or the reason why nothing can be."""
        name = type(value).__name__
        try:
            content = {"value": value} if _plain(value) else {"typed": self._typed(value)}
            size = len(json.dumps(content))
        except Exception:  # noqa: BLE001 - whatever a foreign type does when it is written or read
            return {}, f"a {name} cannot be written as JSON and read again"
        return (content, None) if size <= _MOST else ({}, f"it has more than {_MOST} bytes")

    def _typed(self, value: Any) -> str:
        """The value by its declared type. Raises where reading it again gives another value."""
        adapter = self._adapter()
        text: str = adapter.dump_json(value).decode()
        again = adapter.validate_json(text)
        if type(again) is not type(value) or again != value:
            raise ValueError("it reads as another value")
        return text

    def _adapter(self) -> Any:
        from pydantic import TypeAdapter  # only for results that are no plain JSON

        if self._annotation is None:
            raise TypeError("no type is declared")
        return TypeAdapter(self._annotation)


def _plain(value: Any) -> bool:
    """Whether JSON gives exactly this value back."""
    if value is None or type(value) in (str, bool, int):
        return True
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is list:
        return all(map(_plain, value))
    return type(value) is dict and all(type(key) is str and _plain(item) for key, item in value.items())


def _fields(fault: ToolFault) -> dict[str, Any]:
    return {
        "code": fault.code,
        "message": fault.message,
        "suggestion": fault.recovery,
        "available_actions": list(fault.available_actions),
        "details": dict(fault.details),
        "retry_after": fault.retry_after,
        "severity": fault.severity,
    }


def _fault(fields: dict[str, Any]) -> ToolFault:
    return tool_error(**fields)
