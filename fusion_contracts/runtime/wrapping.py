"""A decorated function as a framework sees it: plain or async, and its signature less the faults it never returns."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, Union, get_args, get_origin

from fusion_contracts.runtime.fault import ToolFault

__all__ = ["is_async", "is_generator", "returns_text", "show_signature"]

_UNIONS = (Union, types.UnionType)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine: also of an object whose `__call__` is one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(_called(function))


def is_generator(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a generator, plain or async."""
    called = _called(function)
    return inspect.isgeneratorfunction(called) or inspect.isasyncgenfunction(called)


def _called(function: Callable[..., Any]) -> Any:
    return function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004 - to look at


def show_signature(wrapper: Callable[..., Any], function: Callable[..., Any]) -> None:
    """Take ToolFault out of the wrapper's return annotation; everything else stays as the function declares it.

    A framework makes an output schema of that annotation, and fails on a class that is no data. An annotation that
    cannot be resolved yet is left alone.
    """
    declared = getattr(function, "__annotations__", {}).get("return")
    if declared is None or (isinstance(declared, str) and "Fault" not in declared):
        return
    signature = _resolved(function)
    if signature is None:
        return
    kept = _without_faults(signature.return_annotation)
    if kept is signature.return_annotation:
        return
    annotations = {name: value for name, value in function.__annotations__.items() if name != "return"}
    wrapper.__annotations__ = annotations if kept is inspect.Signature.empty else {**annotations, "return": kept}
    wrapper.__signature__ = signature.replace(return_annotation=kept)  # type: ignore[attr-defined]  # inspect reads it


def returns_text(function: Callable[..., Any]) -> bool:
    """Whether a text is a result that the function's annotation allows. True where the annotation does not say."""
    signature = _resolved(function)
    if signature is None:
        return True
    kept = _without_faults(signature.return_annotation)
    members = get_args(kept) if get_origin(kept) in _UNIONS else (kept,)
    return any(member in (inspect.Signature.empty, str, Any, object, None) for member in members)


def _resolved(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:  # noqa: BLE001 - whatever a user's annotation does when it is evaluated
        return None


def _without_faults(annotation: Any) -> Any:
    """The annotation without faults: the same object where it has none, `empty` where it has nothing else."""
    if _is_fault(annotation):
        return inspect.Signature.empty
    if get_origin(annotation) not in _UNIONS:
        return annotation
    members = get_args(annotation)
    kept = tuple(member for member in members if not _is_fault(member))
    if len(kept) == len(members):
        return annotation
    return Union[kept] if kept else inspect.Signature.empty  # noqa: UP007 - made at run time


def _is_fault(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, ToolFault)
