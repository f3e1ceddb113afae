"""What a program may say to an integration, the same for every framework, and the hooks that it may bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol, TypeAlias

from fusion_contracts.loop.calls import ToolCall
from fusion_contracts.loop.exceptions import Kind
from fusion_contracts.model import ServerContract
from fusion_contracts.runtime.awareness import CAP, checked_cap
from fusion_contracts.runtime.call import UnknownPolicy, checked_policy
from fusion_contracts.runtime.fault import ToolFault

__all__ = ["Ending", "Guard", "Options", "Releases", "Sink", "ToolCall"]


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a call, as hooks see it.

    `fault` is what the model is told, None where the call succeeded; a warning is told on a success. `failing` are the
    names of the arguments concerned, `deltas` the number of changes that the model was told of, `text` what it reads.
    `result` is the framework's own result of a success, `cause` the exception behind a failure. `kind` says which of
    the loop's outcomes a failure is where its fault does not: an exception that goes on may be a `protocol_error`.
    `refused` says whether a guard answered in the tool's place, so that nothing was sent or run; None where the fault's
    code says it.
    """

    fault: ToolFault | None = None
    failing: tuple[str, ...] = ()
    deltas: int = 0
    text: str = ""
    result: Any = None
    cause: BaseException | None = None
    kind: Kind | None = None
    refused: bool | None = None


class Guard(Protocol):
    """A hook of the agent loop around every call.

    Either method may answer with an awaitable where the framework's calls are asynchronous.
    """

    def before(self, call: ToolCall, /) -> Any:
        """None to let the call run, or the ToolFault to answer with in its place."""

    def after(self, call: ToolCall, ending: Ending | None, /) -> Any:
        """Told what became of a call that was let through.

        None where it has no outcome: it was cancelled, or the framework goes on by it (an interrupt, an approval).
        """


Sink: TypeAlias = Callable[[ToolCall, Ending], object]
"""Told what became of a call. What it raises is logged, and changes no answer."""

Releases: TypeAlias = str | PathLike[str] | ServerContract | None
"""Where the contracts that agents have learned are: a folder, a package's name, a lock; or one such contract."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of every integration.

    `releases`: None looks for them (see `finding`). `cap`: the changes that one error shows at most. `unknown`: what
    becomes of arguments that the schema lets through (see `explain_validation`). `coerce`: a call that misses nearly
    (a renamed argument whose value carries over, JSON as text, another spelling) runs as it was meant instead of being
    refused. `redact`: names of arguments whose values are never shown, besides those that are secret by their ending.
    `compact`: envelopes as the TypeScript original prints them. `strict`: a missing or unreadable release is an error
    at the start, not a line in the log. `guard`, `on_error` and `on_success` are hooks: the sinks of `on_error` hear of
    every answer that is not a plain success, those of `on_success` of every one that is.

    Raises ValueError or TypeError on a value that there is not.
    """

    releases: Releases = None
    cap: int = CAP
    unknown: UnknownPolicy = "auto"
    coerce: bool = False
    redact: tuple[str, ...] = ()
    compact: bool = False
    strict: bool = False
    guard: Guard | None = None
    on_error: tuple[Sink, ...] = ()
    on_success: tuple[Sink, ...] = ()

    def __post_init__(self) -> None:
        checked_policy(self.unknown)
        checked_cap(self.cap)
        for name in ("redact", "on_error", "on_success"):
            given = getattr(self, name)
            if isinstance(given, str) or not isinstance(given, (tuple, list, set, frozenset)):
                raise TypeError(f"{name} is a tuple, not {type(given).__name__}")

    @property
    def hears_calls(self) -> bool:
        """Whether anybody is told of calls, and of the run that each belongs to."""
        return self.guard is not None or bool(self.on_error or self.on_success)
