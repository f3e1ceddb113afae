"""Throw or return: one decorator below a framework's own, so that both end the same way."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias, TypeVar, overload

from fusion_contracts.runtime.fault import ToolFault, tool_error
from fusion_contracts.runtime.raising import fresh, passes, raisable
from fusion_contracts.runtime.wrapping import is_async, is_generator, returns_text, show_signature

__all__ = ["CHECK_FIRST", "Answer", "fault_boundary", "to_fault"]

Function = TypeVar("Function", bound=Callable[..., Any])

Answer: TypeAlias = Literal["raise", "text"] | Callable[[ToolFault], Any]
"""What the framework is handed: the fault raised, its XML returned, or what a function of one's own makes of it."""

CHECK_FIRST = "The call may have taken effect: do not blindly retry. Check first, or report the failure."
"""What a model is advised where nobody knows how far the tool came."""


@overload
def fault_boundary(function: Function, /) -> Function: ...


@overload
def fault_boundary(
    *, answer: Answer = "raise", passing: tuple[type[BaseException], ...] = ()
) -> Callable[[Function], Function]: ...


def fault_boundary(
    function: Callable[..., Any] | None = None,
    /,
    *,
    answer: Answer = "raise",
    passing: tuple[type[BaseException], ...] = (),
) -> Callable[..., Any]:
    """Decorate a tool's function, or a middleware's: a raised and a returned ToolFault become the same answer.

    Any other exception becomes INTERNAL_ERROR (see `to_fault`). Cancellation, exit, `passing`, and the exceptions by
    which known frameworks steer a run go through. Place it directly above the function, below the framework's
    decorator; the function may be plain or `async`, its signature stays visible.

    `answer` says what the framework is handed: `"raise"` (default) the fault as an exception, which every framework
    turns into a failed result; `"text"` its XML; or a function that takes the fault and returns or raises what suits.
    A warning is no failure: its XML is the result, unless the function declares a result that no text can be (a
    framework would refuse the text, and the warning be lost): then it is raised as well.

    Raises TypeError on a generator function.
    """

    def decorate(inner: Callable[..., Any]) -> Callable[..., Any]:
        return _guarded(inner, _Delivery(inner, answer, passing))

    return decorate if function is None else decorate(function)


def to_fault(error: BaseException) -> ToolFault:
    """The fault that an exception stands for: what a middleware answers with.

    A ToolFault is itself; of an exception group that holds nothing else, the first. Any other exception is logged once,
    with its traceback, and becomes INTERNAL_ERROR, critical, with the exception as `__cause__`: nothing of its text
    reaches the model, as it may hold secrets or injected instructions; only which of Python's own exceptions it is.

    Raises the exception itself where it is no failure: cancellation, exit, or a framework's way to steer a run.
    """
    found = _leading_member(error)
    if isinstance(found, ToolFault):
        fault = found.fault
        if fault is not found:  # of a builder
            fault.__cause__ = found.__cause__
        return fault
    if passes(found):
        raise error
    import logging  # a failure may cost what a start must not

    logging.getLogger("fusion_contracts.runtime").error("A tool failed unexpectedly", exc_info=error)
    fault = tool_error(
        "INTERNAL_ERROR",
        f"The tool failed with an internal error ({_known_kind(found)}).",
        suggestion=CHECK_FIRST,
        severity="critical",
    )
    fault.__cause__ = error
    return fault


class _Delivery:
    """How one boundary answers."""

    def __init__(self, function: Callable[..., Any], answer: Answer, passing: tuple[type[BaseException], ...]) -> None:
        if not callable(answer) and answer not in ("raise", "text"):
            raise ValueError(f'answer must be "raise", "text" or a function, not {answer!r:.40}')
        self._answer = answer
        self._passing = passing
        self._function = function

    def result(self, value: Any) -> Any:
        """What a function returned, or the answer to the fault it returned."""
        return self._deliver(fresh(value.fault)) if isinstance(value, ToolFault) else value

    def failure(self, error: Exception) -> Any:
        """The answer to what a function raised. Called while the exception is being handled."""
        if isinstance(error, self._passing):
            raise error
        return self._deliver(to_fault(error))

    def _deliver(self, fault: ToolFault) -> Any:
        if callable(self._answer):
            return self._answer(fault)
        if self._answer == "text" or (not fault.is_error and returns_text(self._function)):
            return fault.to_xml()
        raise raisable(fault)


def _guarded(function: Callable[..., Any], delivery: _Delivery) -> Callable[..., Any]:
    if is_generator(function):
        raise TypeError("fault_boundary does not guard generators: decorate a function that returns its result")

    if is_async(function):

        @functools.wraps(function)
        async def guarded_async(*args: Any, **kwargs: Any) -> Any:
            try:
                value = await function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - this is the boundary
                return delivery.failure(error)
            return delivery.result(value)

        show_signature(guarded_async, function)
        return guarded_async

    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            value = function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - this is the boundary
            return delivery.failure(error)
        return _awaited(value, delivery) if inspect.isawaitable(value) else delivery.result(value)

    show_signature(guarded, function)
    return guarded


async def _awaited(value: Awaitable[Any], delivery: _Delivery) -> Any:
    try:
        result = await value
    except Exception as error:  # noqa: BLE001 - this is the boundary
        return delivery.failure(error)
    return delivery.result(result)


def _leading_member(error: BaseException) -> BaseException:
    """The only exception in a group, or the first of a group of faults alone, however deep; else the exception."""
    found = error
    while isinstance(found, BaseExceptionGroup) and (len(found.exceptions) == 1 or found.split(ToolFault)[1] is None):
        found = found.exceptions[0]
    return found


def _known_kind(error: BaseException) -> str:
    """The nearest of Python's own exception classes: a fixed vocabulary, which no data can choose."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
