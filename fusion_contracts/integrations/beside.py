"""What a tool says beside its result while its call is handled."""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar, Token

from fusion_contracts.runtime.fault import ToolFault

__all__ = ["Collecting", "UnfitOutputError", "handling", "warn"]

_warnings: ContextVar[list[ToolFault] | None] = ContextVar("fusion_contracts_warnings", default=None)


class UnfitOutputError(Exception):
    """A framework could not make a result of what the tool returned. Its cause says why."""


def handling() -> bool:
    """Whether a call is being handled here and now."""
    return _warnings.get() is not None


def warn(fault: ToolFault) -> None:
    """Say something beside the result of the tool that runs now: its structured content stays as it is.

    Called inside a tool, with a fault whose severity is `warning`; ValueError on any other. Outside of an integration
    nothing happens.
    """
    if fault.fault.is_error:
        raise ValueError(f"only a warning stands beside a result: raise {fault.fault.code} instead")
    told = _warnings.get()
    if told is not None:
        told.append(fault.fault)


class Collecting:
    """Handle a call: what its tool warns of is in the list that one is given."""

    __slots__ = ("_token",)

    _token: Token[list[ToolFault] | None]

    def __enter__(self) -> list[ToolFault]:
        told: list[ToolFault] = []
        self._token = _warnings.set(told)
        return told

    def __exit__(self, *_: object) -> None:
        with suppress(ValueError):  # a call that is given up may be closed in another context
            _warnings.reset(self._token)
