"""Whether a result says that its call failed: MCP's flag, under either of its names, or a message's status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["field_of", "flag_of", "has_failed"]


def field_of(given: Any, name: str) -> Any:
    """The value of a mapping or an object under a name; None where it has none."""
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def flag_of(given: Any) -> Any:
    """What a result's flag holds, None where it has none; never both names: one is deprecated in an SDK, and warns."""
    flag = field_of(given, "is_error")
    return field_of(given, "isError") if flag is None else flag


def has_failed(given: Any) -> bool:
    """Whether an MCP result, or the message that a framework makes of one, says that the call failed."""
    return bool(flag_of(given)) or field_of(given, "status") == "error"
