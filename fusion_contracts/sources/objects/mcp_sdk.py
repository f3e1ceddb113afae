"""The MCP SDK, 1.x and 2.x: high-level and low-level servers, and single tools of the protocol's own type.

A server is run as its `run_stdio_async` does, on streams of ours: the SDK reads and writes the very lines that it
would over stdio. Its lifespan is entered as there, since a server may add tools in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.sources.objects.kind import Inbox, Outbox, Server, Toolset, dumped

__all__ = ["KINDS"]


async def _high(server: Any, inbox: Inbox, outbox: Outbox) -> None:
    low = getattr(server, "_lowlevel_server", None) or server._mcp_server  # noqa: SLF001 - 2.x, or 1.x; there is no public name
    await _low(low, inbox, outbox)


async def _low(server: Any, inbox: Inbox, outbox: Outbox) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server(inbox, outbox) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _tool(tool: Any) -> Iterable[JsonValue]:
    return [dumped(tool)]


KINDS = (
    Server("an MCP server", ("mcp.FastMCP", "mcp.MCPServer"), _high),
    Server("a low-level MCP server", ("mcp.Server",), _low),
    Toolset("an MCP tool", ("mcp.Tool", "mcp_types.Tool"), _tool, one=True),
)
