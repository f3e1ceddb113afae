"""A step that must not be cut in two, awaited from a coroutine that may be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["finished"]

Result = TypeVar("Result")


async def finished(
    step: Callable[[], Result], *, blocking: bool, unwanted: Callable[[Result], None] | None = None
) -> Result:
    """The step's result; a blocking step runs in a thread, so that the event loop goes on.

    Cancelled, it waits for the step's end first, undoes its result by `unwanted`, and is cancelled then: a thread
    cannot be stopped, and a record that nobody knows of would be one too many.
    """
    if not blocking:
        return step()
    import asyncio  # loaded by whoever runs a coroutine, and by nobody else

    task = asyncio.ensure_future(asyncio.to_thread(step))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if task.exception() is None and unwanted is not None:
        result = task.result()
        await finished(lambda: unwanted(result), blocking=True)
    raise cancelled
