"""Errors that heal, in the frameworks people use. Each framework is imported in its own file alone, when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fusion_contracts.integrations.handler import warn
    from fusion_contracts.integrations.options import Guard, Options, Outcome, ToolCall

__all__ = ["Guard", "Options", "Outcome", "ToolCall", "warn"]

_HOMES = {"Guard": "options", "Options": "options", "Outcome": "options", "ToolCall": "options", "warn": "handler"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'fusion_contracts.integrations' has no attribute {name!r}")
    value = getattr(import_module(f"fusion_contracts.integrations.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
