"""Faults that a tool returns, seen where a framework would turn its result into content.

Frameworks print a returned object, or fail to serialise it. So the one function of theirs that converts a result is
watched: during a handled call alone, and for every other call it is what it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from fusion_contracts.integrations.beside import UnfitOutputError, handling
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.raising import fresh, raisable

__all__ = ["watch"]


def watch(owner: Any, name: str) -> None:
    """Watch the function of that name, of a class or module: a fault that it is to convert is raised instead.

    What it raises itself is raised as UnfitOutputError. Done once, however often it is asked for.
    """
    original: Callable[..., Any] = getattr(owner, name)
    if getattr(original, "watched_by_fusion", False):
        return

    @functools.wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        if not handling():
            return original(*args, **kwargs)
        for value in (*args, *kwargs.values()):
            if isinstance(value, ToolFault):
                raise raisable(fresh(value.fault))
        try:
            return original(*args, **kwargs)
        except Exception as error:
            raise UnfitOutputError from error

    watched.watched_by_fusion = True  # type: ignore[attr-defined]  # a mark on the function itself
    setattr(owner, name, watched)
