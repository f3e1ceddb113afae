"""One call of a tool, as the loop sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.fault import ToolFault

__all__ = ["CallLike", "OutcomeLike", "ToolCall"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call.

    `action` is the key of the action that is meant: `billing.create` of a grouped tool, "" for the tool's own name.
    `run` is whatever tells one run of an agent, or one session, from another; "" where there is one alone.
    """

    tool: str
    arguments: JsonValue = field(default_factory=dict)
    action: str = ""
    run: str = ""


class CallLike(Protocol):
    """What a guard reads of a call: a `ToolCall`, or a framework's own object with these names."""

    @property
    def tool(self) -> str:
        """The tool's name."""

    @property
    def arguments(self) -> JsonValue:
        """What was sent."""

    @property
    def action(self) -> str:
        """The action's key, "" for the tool's name."""

    @property
    def run(self) -> str:
        """The run's id, "" for none."""


class OutcomeLike(Protocol):
    """What a guard reads of an outcome: an `Outcome`, or any object with these names."""

    @property
    def fault(self) -> ToolFault | None:
        """The failure, None for none."""

    @property
    def failing(self) -> tuple[str, ...]:
        """The names of the arguments concerned."""
