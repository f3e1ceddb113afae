"""A server object served in this process: the lines that it would speak over stdio, in memory.

It runs in a loop and a thread of its own, so that it can be listed while another loop runs in the caller's thread.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeVar

from fusion_contracts.sources.interrupt import taken
from fusion_contracts.sources.jsonrpc import SilenceError
from fusion_contracts.sources.objects.kind import Serve

__all__ = ["Served", "StoppedError", "in_a_loop"]

T = TypeVar("T")

_GRACE = 2.0  # seconds in which a server may end by itself once its input has; then it is cancelled
_LINE_END = "\n"


class StoppedError(Exception):
    """The object stopped serving; `why` is what it raised, None where it just returned."""

    def __init__(self, why: BaseException | None) -> None:
        super().__init__(why)
        self.why = why


class _Written:
    """The served object's output: whole lines go to `lines` as they come."""

    def __init__(self, lines: SimpleQueue[bytes | None]) -> None:
        self._lines = lines
        self._rest = ""

    async def write(self, text: str) -> None:
        *whole, self._rest = (self._rest + text).split(_LINE_END)
        for line in whole:
            self._lines.put(line.encode())

    async def flush(self) -> None:
        """Whole lines are there already."""


class Served:
    """One object being served, as a channel for one conversation. Use it as a context manager."""

    def __init__(self, item: Any, serve: Serve) -> None:
        self._item, self._serve = item, serve
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._why: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._input: asyncio.Queue[str | None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fusion-contracts", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._put, None)
        self._thread.join(_GRACE)
        if self._thread.is_alive() and self._task is not None:
            self._call(self._task.cancel)
            self._thread.join(_GRACE)

    def send(self, line: bytes) -> None:
        """Hand over one message; one that comes too late is noticed by `receive`."""
        self._call(self._put, line.decode() + _LINE_END)

    def receive(self, deadline: float) -> bytes:
        """The next message. Raises SilenceError at the deadline (of the monotonic clock), StoppedError at the end."""
        try:
            line = taken(self._lines, deadline)
        except Empty:
            raise SilenceError from None
        if line is None:
            raise StoppedError(self._why)
        return line

    def agree(self, version: str) -> None:
        """The lines are the same in every version."""

    def stay(self, deadline: float) -> None:
        """It stays until it is left."""

    def hear(self) -> bool:
        """What it tells comes as all else does."""
        return True

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:  # noqa: BLE001 - whatever it is, the thread that asks has to know
            self._why = error
        self._ready.set()
        self._lines.put(None)

    async def _main(self) -> None:
        self._loop, self._input, self._task = asyncio.get_running_loop(), asyncio.Queue(), asyncio.current_task()
        self._ready.set()
        await self._serve(self._item, self._read(self._input), _Written(self._lines))

    @staticmethod
    async def _read(lines: asyncio.Queue[str | None]) -> AsyncIterator[str]:
        while (line := await lines.get()) is not None:
            yield line

    def _put(self, line: str | None) -> None:
        if self._input is not None:
            self._input.put_nowait(line)

    def _call(self, function: Callable[..., Any], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            if self._loop is not None:
                self._loop.call_soon_threadsafe(function, *arguments)


def in_a_loop(work: Callable[[], Awaitable[T]], timeout: float) -> T:
    """What a coroutine function returns, run in a loop and thread of its own. Raises what it raises, SilenceError."""
    done: SimpleQueue[tuple[list[T], BaseException | None]] = SimpleQueue()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def main() -> T:
        running.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await work()

    def run() -> None:
        try:
            done.put(([asyncio.run(main())], None))
        except BaseException as error:  # noqa: BLE001 - raised again where it was asked for
            done.put(([], error))

    threading.Thread(target=run, name="fusion-contracts", daemon=True).start()
    try:
        values, error = taken(done, time.monotonic() + timeout)
    except Empty:
        for loop, task in running:
            with suppress(RuntimeError):  # the loop has ended just now
                loop.call_soon_threadsafe(task.cancel if task else loop.stop)
        raise SilenceError from None
    if error is not None:
        raise error
    return values[0]
