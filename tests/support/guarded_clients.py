"""Every client of the SDK that is installed here, over every transport; `guarded_session.py` tells it stories."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from faces import Faces

from fusion_contracts.integrations.drift import Verdict
from fusion_contracts.integrations.mcp_client import GuardedClient, guarded

HERE = Path(__file__).parent
SERVER = str(HERE / "faces.py")
LOCK = HERE / "fusion.lock"
FASTMCP, SECOND = find_spec("fastmcp") is not None, find_spec("mcp_types") is not None


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """The URL of a server of its own process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(sys.executable, SERVER, "http", str(port), stderr=quiet)
    try:
        while not await _answers(port):
            assert process.returncode is None
            await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


@asynccontextmanager
async def _fastmcp(transport: str) -> AsyncIterator[Any]:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    if transport == "http":
        async with served() as url, Client(url) as client:
            yield client
    else:
        stdio = StdioTransport(sys.executable, [SERVER, "stdio"], keep_alive=False) if transport == "stdio" else None
        async with Client(stdio or Faces().server) as client:
            yield client


@asynccontextmanager
async def _first(transport: str) -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.memory import create_client_server_memory_streams

    if transport == "http":
        async with served() as url, streamable_http_client(url) as (read, write, _), ClientSession(read, write) as one:
            yield one
    elif transport == "stdio":
        parameters = StdioServerParameters(command=sys.executable, args=[SERVER, "stdio"])
        async with stdio_client(parameters) as (read, write), ClientSession(read, write) as one:
            yield one
    else:
        low = Faces().server._mcp_server
        async with create_client_server_memory_streams() as (ours, theirs):
            serving = asyncio.create_task(low.run(*theirs, low.create_initialization_options()))
            async with ClientSession(*ours) as one:
                yield one
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


@asynccontextmanager
async def _second(transport: str, mode: str) -> AsyncIterator[Any]:
    from mcp import Client, StdioServerParameters

    if transport == "http":
        async with served() as url, Client(url, mode=mode) as client:
            yield client
    else:
        stdio = StdioServerParameters(command=sys.executable, args=[SERVER, "stdio"])
        async with Client(stdio if transport == "stdio" else Faces().server, mode=mode) as client:
            yield client


@asynccontextmanager
async def _session() -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=[SERVER, "stdio"])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as one:
        yield one


def clients() -> dict[str, Callable[[], Any]]:
    """Every client that there is here, over every transport."""
    transports = ("memory", "stdio", "http")
    if FASTMCP:
        return {f"fastmcp-{one}": partial(_fastmcp, one) for one in transports}
    if not SECOND:
        return {f"session-{one}": partial(_first, one) for one in transports}
    found = {f"{mode}-{one}": partial(_second, one, mode) for one in transports for mode in ("auto", "legacy")}
    return {**found, "session-stdio": _session}


CLIENTS = clients()


class Program:
    """A program with a client, whatever that is called here."""

    def __init__(self, client: Any, guard: GuardedClient | None = None) -> None:
        self.client = client
        self.heard = asyncio.Event()
        self._guard = guard

    @property
    def guard(self) -> GuardedClient:
        """What guards the client."""
        assert self._guard is not None
        return self._guard

    async def tools(self) -> list[str]:
        """The names that the model sees."""
        listed = await self.client.list_tools()
        return sorted(tool.name for tool in getattr(listed, "tools", listed))

    async def raw(self, name: str, **arguments: Any) -> Any:
        """A tool's result."""
        call = self.client.call_tool_mcp if FASTMCP else self.client.call_tool
        return await call(name, arguments)

    async def call(self, name: str, **arguments: Any) -> str:
        """What the model reads of a call, behind a mark where it failed."""
        result = await self.raw(name, **arguments)
        failed = result.is_error if hasattr(result, "is_error") else result.isError
        return ("failed: " if failed else "") + "\n".join(block.text for block in result.content)

    async def turn(self, face: str, *, quiet: bool = False) -> None:
        """Let the server change, and wait until that was heard: over HTTP it may come behind the answer."""
        self.heard.clear()
        assert await self.call("turn", face=face, quiet=quiet) == face
        if not quiet:
            await asyncio.wait_for(self.heard.wait(), 20)


Story = Callable[[Program], Awaitable[None]]


def play(name: str, story: Story, on_change: Callable[[Verdict], object] | None = None, **given: Any) -> None:
    """Tell a story to a client of that name, guarded."""

    async def main() -> None:
        programs: list[Program] = []

        async def heard(verdict: Verdict) -> None:
            if on_change is not None:
                on_change(verdict)
            programs[0].heard.set()

        async with CLIENTS[name]() as client, guarded(client, lock=LOCK, on_change=heard, **given) as guard:
            programs.append(Program(client, guard))
            await story(programs[0])

    asyncio.run(main())


every = pytest.mark.parametrize("name", list(CLIENTS))
