"""What an integration says of its framework, and what it gets back for a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from fusion_contracts.integrations.answers import Answer
from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.flags import flag_of

__all__ = ["NOT_JUDGED", "Failed", "Framework", "Handled", "Part", "in_chain", "is_flagged"]

_CAUSES = 6  # exceptions of a chain that are looked at

Raised = TypeVar("Raised", bound=BaseException)

Failed: TypeAlias = Literal["arguments", "unknown", "output", "own", "failure"]
"""What an exception of a framework means: it refused the arguments before the tool ran; it has no such tool; the result
violates its schema; its text is meant for the model; anything else."""

Part: TypeAlias = Literal["whole", "arguments", "tool"]
"""What a handler goes around.

All of a call; or, where the framework validates in one place and runs the tool in another, first `"arguments"`, whose
result is what the framework made of them, then, unless that was answered, `"tool"`. To a guard both are one call.
"""

NOT_JUDGED: Any = object()
"""The structured part of a result that is not held to a schema."""


def _failure(_error: BaseException) -> Failed:
    return "failure"


def _itself(error: BaseException) -> BaseException:
    return error


def _not_judged(_result: Any) -> JsonValue:
    return NOT_JUDGED


@dataclass(frozen=True, slots=True)
class Framework:
    """What a framework says of its calls.

    `tools()` lists the tools as they are now, for whoever is calling; it may answer with an awaitable where calls are
    asynchronous. `failed(error)` says what an exception of `proceed` means. `structured(result)` is what is held to the
    output schema, NOT_JUDGED for nothing. `cause(error)` is the tool's own exception in one that the framework raised
    for it. `judges` says that the framework validates arguments itself; where it does
    not, they are held to the schema here. `hints` says that its tools carry MCP's hints; where they cannot, none was
    taken from them. `lists_all` says that what is not listed cannot be called. `found(name)` is the object that
    stands for a tool, looked up at every call: another one says that the tools changed; None where that is not known.
    """

    tools: Callable[[], Any]
    failed: Callable[[BaseException], Failed] = _failure
    structured: Callable[[Any], JsonValue] = _not_judged
    cause: Callable[[BaseException], BaseException] = _itself
    judges: bool = True
    hints: bool = True
    lists_all: bool = False
    found: Callable[[str], Any] | None = None


class Handled(NamedTuple):
    """What became of a call: an answer in place of a result, or the result and the warnings that stand beside it."""

    result: Any = None
    answer: Answer | None = None
    warnings: tuple[Answer, ...] = ()


def is_flagged(result: Any) -> bool:
    """Whether a framework's result says that the call failed; a mapping is the data of a tool, and says nothing."""
    return not isinstance(result, Mapping) and flag_of(result) is True


def in_chain(error: BaseException | None, kind: type[Raised]) -> Raised | None:
    """The first exception of that class in a chain of causes."""
    for _ in range(_CAUSES):
        if isinstance(error, kind):
            return error
        error = None if error is None else error.__cause__
    return None
