"""The fluent way to make a fault. Every step is a fault already: return or raise it as it stands, no `.build()`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fusion_contracts.runtime.codes import Code, Severity
from fusion_contracts.runtime.fault import (
    Scalar,
    ToolFault,
    checked_actions,
    checked_details,
    checked_seconds,
    checked_severity,
    checked_text,
    restore,
)

__all__ = ["FaultBuilder", "error"]


class FaultBuilder(ToolFault):
    """A fault whose methods each return a new one; the one they are called on stays as it is.

    `severity`, `details` and `retry_after` are steps here and attributes of a plain fault: read them from `.fault`.
    Everything else (`code`, `message`, `recovery`, `available_actions`, `is_error`, `to_xml`, equality) is a fault's.
    """

    def suggest(self, suggestion: str | None) -> FaultBuilder:
        """With that recovery; the last one wins, an empty one removes it."""
        return self._with(recovery=None if suggestion is None else checked_text(suggestion, "suggestion") or None)

    def actions(self, *names: str) -> FaultBuilder:
        """With those actions added to the available ones."""
        return self._with(available_actions=self._envelope.available_actions + checked_actions(names))

    # The three names below are fixed by the specification of both: an attribute there, a step here.

    def severity(self, severity: Severity) -> FaultBuilder:  # type: ignore[override]
        """With that severity."""
        return self._with(severity=checked_severity(severity))

    def details(self, details: Mapping[str, Scalar] | None = None, /, **named: Scalar) -> FaultBuilder:  # type: ignore[override]
        """With those facts added, by mapping or by keyword; a name that is there already gets the new value."""
        added = checked_details(details or {}) | checked_details(named)
        return self._with(details=tuple((dict(self._envelope.details) | added).items()))

    def retry_after(self, seconds: float | None) -> FaultBuilder:  # type: ignore[override]
        """With that time to wait; the last one wins, None or zero removes it."""
        return self._with(retry_after=checked_seconds(seconds))

    @property
    def fault(self) -> ToolFault:
        """The plain fault that this builder stands for."""
        return restore(ToolFault, self._envelope)

    def _with(self, **changes: Any) -> FaultBuilder:
        return restore(FaultBuilder, replace(self._envelope, **changes))


def error(code: Code, message: str) -> FaultBuilder:
    """Start a fault: `error("NOT_FOUND", "Invoice missing").suggest("list first").retry_after(30)`.

    Raises TypeError where code or message is no text.
    """
    return FaultBuilder(code, message)
