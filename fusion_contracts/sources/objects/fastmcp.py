"""FastMCP 2, 3 and 4: servers, with what is mounted in them, and single tools.

A server is run as its `run_stdio_async` does, on streams of ours, so that middleware, mounts and transforms act as they
do for a client. Its lifespan is entered as there.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.sources.objects.kind import Inbox, Outbox, Server, Toolset, dumped

__all__ = ["KINDS"]

_SAYS_TOOLS_CHANGE = frozenset({2, 3})  # majors that offer `tools.listChanged` over stdio, whatever else is set


async def _serve(server: Any, inbox: Inbox, outbox: Outbox) -> None:
    from mcp.server.stdio import stdio_server

    low = server._mcp_server  # noqa: SLF001 - what its own transports run; there is no public name
    with ExitStack() as stack:
        _over_stdio(stack)
        async with server._lifespan_manager(), stdio_server(inbox, outbox) as (read, write):  # noqa: SLF001 - as above
            await low.run(read, write, low.create_initialization_options(*_notifications()))


def _over_stdio(stack: ExitStack) -> None:
    """Say to the server's own code that the transport is stdio, where the release has a way to."""
    from fastmcp.server import context

    if hasattr(context, "set_transport"):
        stack.callback(context.reset_transport, context.set_transport("stdio"))


def _notifications() -> tuple[Any, ...]:
    import fastmcp
    from mcp.server.lowlevel.server import NotificationOptions

    major = int(fastmcp.__version__.partition(".")[0])
    return (NotificationOptions(tools_changed=True),) if major in _SAYS_TOOLS_CHANGE else ()


async def _tool(tool: Any) -> Iterable[JsonValue]:
    return [dumped(tool.to_mcp_tool())]


KINDS = (
    Server("a FastMCP server", ("fastmcp.FastMCP",), _serve),
    Toolset("a FastMCP tool", ("fastmcp.Tool",), _tool, one=True),
)
