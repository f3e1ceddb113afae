"""A raised fault in the shape that the loaded frameworks show to the model.

Some frameworks mask an exception that is not their own, and the model reads "Error executing tool x" alone. So the
raised fault is of their class too, where they are loaded. None is imported here.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from fusion_contracts.runtime.fault import ToolFault, restore

__all__ = ["fresh", "passes", "raisable"]

# Exceptions by which a framework lets a tool tell the model something: module, class.
_SPEAKING = (
    ("fastmcp.exceptions", "ToolError"),
    ("mcp.server.mcpserver.exceptions", "ToolError"),
    ("langchain_core.tools.base", "ToolException"),
)

# Cancellation where it is an Exception too, and how frameworks steer a run: no failure of the tool.
_PASSING = frozenset(
    {
        "asyncio.exceptions.CancelledError",
        "concurrent.futures._base.CancelledError",
        "langgraph.errors.GraphBubbleUp",
        "mcp.shared.exceptions.UrlElicitationRequiredError",
        "pydantic_ai.exceptions.ApprovalRequired",
        "pydantic_ai.exceptions.CallDeferred",
        "pydantic_ai.exceptions.ModelRetry",
        "pydantic_ai.exceptions.SkipToolExecution",
        "pydantic_ai.exceptions.SkipToolValidation",
    }
)


def passes(error: BaseException) -> bool:
    """Whether an exception is no failure of the tool: cancellation, exit, or a framework's way to steer the run."""
    if not isinstance(error, Exception) or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
        return True
    return any(f"{kind.__module__}.{kind.__qualname__}" in _PASSING for kind in type(error).__mro__)


def fresh(fault: ToolFault) -> ToolFault:
    """An equal fault without a traceback: one kept as a constant must not collect those of all calls."""
    copy = restore(type(fault), fault._envelope)  # noqa: SLF001 - the same content
    copy.__dict__.update(fault.__dict__)
    return copy


def raisable(fault: ToolFault) -> ToolFault:
    """The fault itself, or an equal one that loaded frameworks also take for their own error."""
    loaded = ((sys.modules.get(module), name) for module, name in _SPEAKING)
    kinds = tuple(kind for module, name in loaded if isinstance(kind := getattr(module, name, None), type))
    if not kinds or isinstance(fault, kinds):
        return fault
    own: Any = type(fault)  # a class, whatever the hash of its objects
    raised: ToolFault = _combined(own, kinds)(fault)
    raised.__cause__ = fault.__cause__
    return raised.with_traceback(fault.__traceback__)


@functools.cache
def _combined(own: Any, kinds: tuple[type[Any], ...]) -> Any:
    """A class of faults that is of those classes too. Pickled, it is a plain fault again."""

    def initialise(self: ToolFault, fault: ToolFault) -> None:
        for kind in kinds:
            kind.__init__(self, str(fault))  # their own attributes, such as a log level
        self.__dict__.update(fault.__dict__)

    def reduce(self: ToolFault) -> tuple[object, ...]:
        return restore, (ToolFault, self._envelope)

    return type(own.__name__, (own, *kinds), {"__init__": initialise, "__reduce__": reduce})
