"""How the flow of a call is driven, whether its framework is synchronous or not.

A flow is a generator: it yields what is to be done, a function without arguments, and is sent what that gave, or has
thrown into it what that raised. So what is decided about a call is written once.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from types import CoroutineType
from typing import Any, TypeAlias, TypeVar

__all__ = ["Steps", "driven", "driven_sync", "shielded"]

Given = TypeVar("Given")

Steps: TypeAlias = Generator[Callable[[], Any], Any, Given]

_PATIENCE = 5.0  # seconds for what must still be said of a call that is cancelled


async def driven(flow: Steps[Given]) -> Given:
    """Drive a flow whose steps may answer with awaitables."""
    cancelled = False
    try:
        step = next(flow)
        while True:
            try:
                value = step()
                if type(value) is CoroutineType or inspect.isawaitable(value):
                    value = await (shielded(value) if cancelled else value)
            except BaseException as error:  # noqa: BLE001 - the flow decides what it means
                cancelled = not isinstance(error, Exception)
                step = flow.throw(error)
            else:
                step = flow.send(value)
    except StopIteration as end:
        given: Given = end.value
        return given
    finally:
        flow.close()


def driven_sync(flow: Steps[Given]) -> Given:
    """Drive a flow whose steps answer at once."""
    try:
        step = next(flow)
        while True:
            try:
                value = step()
            except BaseException as error:  # noqa: BLE001 - the flow decides what it means
                step = flow.throw(error)
            else:
                step = flow.send(value)
    except StopIteration as end:
        given: Given = end.value
        return given
    finally:
        flow.close()


async def shielded(said: Awaitable[Any]) -> Any:
    """Await in a task that is being cancelled, at most a few seconds: anyio cancels every other wait of such a one."""
    anyio = sys.modules.get("anyio")  # where it is not loaded, nobody cancels by it
    if anyio is not None:
        with anyio.move_on_after(_PATIENCE, shield=True):
            return await said
    else:
        with suppress(TimeoutError):
            return await asyncio.wait_for(said, _PATIENCE)
    return None
