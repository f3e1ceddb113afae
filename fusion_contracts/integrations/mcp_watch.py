"""What a server changes while its client is guarded: heard, listed again, judged, and told to the program."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeAlias

from fusion_contracts.canonical import printable
from fusion_contracts.integrations.consumer import Consumer
from fusion_contracts.integrations.drift import DriftError, Verdict
from fusion_contracts.integrations.mcp_ports import Port

__all__ = ["OnChange", "Watch"]

OnChange: TypeAlias = Callable[[Verdict], Any]
"""Called with the new verdict when a server offers something else than before; may be a coroutine function."""

_PAUSE = 1.0  # seconds between two listings that notifications ask for; a call or a listing never waits for it
_PATIENCE = 5.0  # seconds that a server has to open its stream of changes
_log = logging.getLogger("fusion_contracts.integrations")


class Watch:
    """The listings of one client, each judged when it is needed. `changes` counts those that came to something else."""

    def __init__(self, port: Port, consumer: Consumer, on_change: OnChange | None) -> None:
        self.changes = 0
        self._port = port
        self._consumer = consumer
        self._on_change = on_change
        self._turn = asyncio.Lock()
        self._heard = self._taken = 0
        self._open = False
        self._told = asyncio.Event()

    async def settle(self) -> None:
        """Wait until what the server said last is judged."""
        if self._heard != self._taken:
            await self.look(always=False)

    async def judge(self, *, always: bool) -> None:
        """List and judge, one after another; unless it is done `always`, only where something was heard since."""
        changed = False
        async with self._turn:
            heard = self._heard
            if always or heard != self._taken:
                changed = self._consumer.take(await self._port.offered())
                self._taken = heard
        if changed:
            self.changes += 1
            await self._tell()

    async def look(self, *, always: bool = True) -> None:
        """List and judge where a failure must not hide what it is for."""
        try:
            await self.judge(always=always)
        except Exception as error:  # noqa: BLE001 - of the server's making
            name = printable(self._consumer.locked.name)
            _log.warning("%s cannot be listed again (%s): what it offered before counts", name, type(error).__name__)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Hear what the server says as long as the context is open. Raises DriftError where the server is refused."""
        await self._port.open()
        async with AsyncExitStack() as stack:
            tasks: list[asyncio.Task[None]] = []
            stack.push_async_callback(_ended, tasks)
            stack.enter_context(self._port.hearing(self._changed))
            ready = asyncio.Event()
            tasks.append(asyncio.create_task(self._listen(ready)))
            with suppress(TimeoutError):  # heard before it is listed: no change falls between the two
                await asyncio.wait_for(ready.wait(), _PATIENCE)
            await self.judge(always=True)
            if self._consumer.verdict.refused_all:
                raise DriftError(self._consumer.verdict)
            tasks.append(asyncio.create_task(self._follow()))
            self._open = True
            yield

    def _changed(self) -> None:
        """The server says that its tools changed: whatever comes next looks first."""
        self._heard += 1
        self._told.set()

    async def _tell(self) -> None:
        if self._on_change is None or not self._open:
            return
        try:
            said = self._on_change(self._consumer.verdict)
            if inspect.isawaitable(said):
                await said
        except Exception:  # noqa: BLE001 - of anyone's making; it is logged
            _log.exception("A callback on a changed server failed")

    async def _follow(self) -> None:
        """Look when the server says so, one after another, with a pause between: some servers say so without end."""
        while True:
            await self._told.wait()
            self._told.clear()
            await self.settle()
            await asyncio.sleep(_PAUSE)

    async def _listen(self, ready: asyncio.Event) -> None:
        """Where changes are told on a stream of their own: hear it until it ends."""
        try:
            stream = self._port.stream()
            if stream is not None:
                async with stream as events:
                    ready.set()
                    async for _ in events:
                        self._changed()
        except Exception as error:  # noqa: BLE001 - of the server's making
            _log.info("%s tells no changes: %s", printable(self._consumer.locked.name), type(error).__name__)
        finally:
            ready.set()


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
