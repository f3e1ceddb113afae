"""What a tool server imports: errors that heal. Each name is loaded when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_contracts import on_first_use

if TYPE_CHECKING:
    from fusion_contracts.runtime.awareness import ContractAwareness
    from fusion_contracts.runtime.builder import FaultBuilder, error
    from fusion_contracts.runtime.callguard import CallGuard
    from fusion_contracts.runtime.client import FusionClientError, parse_tool_error
    from fusion_contracts.runtime.codes import CODES, Code, KnownCode, Severity
    from fusion_contracts.runtime.fault import ToolFault, tool_error
    from fusion_contracts.runtime.guard import fault_boundary, to_fault
    from fusion_contracts.runtime.missing_tool import unknown_action
    from fusion_contracts.runtime.shedding import ConcurrencyLimit, RateLimit
    from fusion_contracts.runtime.validation import ValidationReport, explain_validation

__all__ = [
    "CODES", "CallGuard", "Code", "ConcurrencyLimit", "ContractAwareness", "FaultBuilder", "FusionClientError",
    "KnownCode", "RateLimit", "Severity", "ToolFault", "ValidationReport", "error", "explain_validation",
    "fault_boundary", "parse_tool_error", "to_fault", "tool_error", "unknown_action",
]  # fmt: skip

_HOMES = {
    "CODES": "codes",
    "CallGuard": "callguard",
    "Code": "codes",
    "ConcurrencyLimit": "shedding",
    "ContractAwareness": "awareness",
    "FaultBuilder": "builder",
    "FusionClientError": "client",
    "KnownCode": "codes",
    "RateLimit": "shedding",
    "Severity": "codes",
    "ToolFault": "fault",
    "ValidationReport": "validation",
    "error": "builder",
    "explain_validation": "validation",
    "fault_boundary": "guard",
    "parse_tool_error": "client",
    "to_fault": "guard",
    "tool_error": "fault",
    "unknown_action": "missing_tool",
}

__getattr__, __dir__ = on_first_use(__name__, _HOMES, __all__)
