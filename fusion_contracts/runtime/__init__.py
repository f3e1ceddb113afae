"""What a tool server imports: errors that heal. Each name is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fusion_contracts.runtime.builder import FaultBuilder, error
    from fusion_contracts.runtime.client import FusionClientError, parse_tool_error
    from fusion_contracts.runtime.codes import CODES, Code, KnownCode, Severity
    from fusion_contracts.runtime.fault import ToolFault, tool_error
    from fusion_contracts.runtime.guard import fault_boundary, to_fault
    from fusion_contracts.runtime.shedding import ConcurrencyLimit, RateLimit

__all__ = [
    "CODES", "Code", "ConcurrencyLimit", "FaultBuilder", "FusionClientError", "KnownCode", "RateLimit", "Severity",
    "ToolFault", "error", "fault_boundary", "parse_tool_error", "to_fault", "tool_error",
]  # fmt: skip

_HOMES = {
    "CODES": "codes",
    "Code": "codes",
    "ConcurrencyLimit": "shedding",
    "FaultBuilder": "builder",
    "FusionClientError": "client",
    "KnownCode": "codes",
    "RateLimit": "shedding",
    "Severity": "codes",
    "ToolFault": "fault",
    "error": "builder",
    "fault_boundary": "guard",
    "parse_tool_error": "client",
    "to_fault": "guard",
    "tool_error": "fault",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'fusion_contracts.runtime' has no attribute {name!r}")
    value = getattr(import_module(f"fusion_contracts.runtime.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
