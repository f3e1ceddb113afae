"""Lock what an agent may rely on from its tool servers, and learn what a change does to it.

Everything here is loaded when it is first used: importing the package costs nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Level, Report, Side, diff, diff_locks
    from fusion_contracts.errors import FusionError, Problem
    from fusion_contracts.model import Lock, Prompt, Resource, ResourceTemplate, ServerContract, Tool
    from fusion_contracts.runtime.awareness import ContractAwareness
    from fusion_contracts.runtime.builder import error
    from fusion_contracts.runtime.callguard import CallGuard
    from fusion_contracts.runtime.client import FusionClientError, parse_tool_error
    from fusion_contracts.runtime.fault import ToolFault, tool_error
    from fusion_contracts.runtime.guard import fault_boundary, to_fault
    from fusion_contracts.runtime.missing_tool import unknown_action
    from fusion_contracts.runtime.validation import ValidationReport, explain_validation

__all__ = [
    "CallGuard", "ContractAwareness", "Finding", "FusionClientError", "FusionError", "Level", "Lock", "Problem",
    "Prompt", "Report", "Resource", "ResourceTemplate", "ServerContract", "Side", "Tool", "ToolFault",
    "ValidationReport", "__version__", "diff", "diff_locks", "error", "explain_validation", "fault_boundary",
    "load", "parse_tool_error", "to_fault", "tool_error", "unknown_action",
]  # fmt: skip

__version__ = "0.1.0"

_HOMES = {
    "CallGuard": "runtime.callguard",
    "ContractAwareness": "runtime.awareness",
    "Finding": "diff.findings",
    "FusionClientError": "runtime.client",
    "FusionError": "errors",
    "Level": "diff.findings",
    "Lock": "model",
    "Problem": "errors",
    "Prompt": "model",
    "Report": "diff.findings",
    "Resource": "model",
    "ResourceTemplate": "model",
    "ServerContract": "model",
    "Side": "diff.findings",
    "Tool": "model",
    "ToolFault": "runtime.fault",
    "ValidationReport": "runtime.validation",
    "diff_locks": "diff",
    "error": "runtime.builder",
    "explain_validation": "runtime.validation",
    "fault_boundary": "runtime.guard",
    "parse_tool_error": "runtime.client",
    "to_fault": "runtime.guard",
    "tool_error": "runtime.fault",
    "unknown_action": "runtime.missing_tool",
}


def on_first_use(
    package: str, homes: Mapping[str, str], names: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` (PEP 562) of a package that loads a name from its home when it is asked for."""
    inside = f"{package}.".removeprefix(f"{__name__}.")  # so that nothing but a module of ours is ever loaded

    def load_name(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{inside}{home}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load_name, lambda: sorted(names)


_name, __dir__ = on_first_use(__name__, _HOMES, __all__)


def __getattr__(name: str) -> Any:
    if name == "diff":  # the package itself, which can be called: it would hide a function of its name
        return import_module("fusion_contracts.diff")
    return _name(name)


def load(path: str | PathLike[str], *, server: str | None = None) -> ServerContract:
    """The contract in a saved catalog or a lockfile.

    `server` is the NAME of one server in a lock that holds several. Raises FusionError where the file cannot be read,
    holds a malformed tool, several servers and none is named, or no server of that name.
    """
    from fusion_contracts.errors import FusionError
    from fusion_contracts.lockfile.choosing import chosen
    from fusion_contracts.sources.base import Options
    from fusion_contracts.sources.resolve import resolve

    source = resolve(fspath(path), (), Options())
    if source.live:
        message = f"{source.label} is code or a server, which load does not run"
        raise FusionError(message, "save it first: fusion show SOURCE --format json -o FILE", stage="usage")
    reading = source.read(Options())
    if reading.problems:
        raise FusionError.of(reading.problems[0])
    found = {contract.name: contract for contract in reading.contracts}
    return chosen(found, server, source.label)
