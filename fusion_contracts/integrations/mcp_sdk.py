"""The MCP SDK, 1.x and 2.x: `install(server)` for `MCPServer`, `FastMCP`, and the low-level servers of both."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from fusion_contracts.integrations.announced import forgets
from fusion_contracts.integrations.answers import raised
from fusion_contracts.integrations.beside import handling
from fusion_contracts.integrations.finding import find
from fusion_contracts.integrations.framework import Failed, Framework
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.mcp_low import PROTOCOL_ERRORS, low_1, low_2
from fusion_contracts.integrations.mcp_results import result_of, structured_of
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.integrations.returning import watch
from fusion_contracts.integrations.runs import run_of, session_of
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.objects.kind import dumped

__all__ = ["install"]

_UNKNOWN = "Unknown tool: "


def install(
    server: Any, options: Options | None = None, *, name: str = "", near: str | PathLike[str] | None = None
) -> Any:
    """Make the errors of a server's tools heal, and return the server.

    `name` is the server's NAME in its releases, its own name by default; `near` the folder where they are looked for
    first, by default that of the calling file. A low-level server must have its handlers for tools already.

    Raises TypeError on anything else than a server of the SDK, FusionError where the options are strict and there is no
    release.
    """
    options = options or Options()
    here = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
    kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(server).__mro__}
    made = next((make for kind, make in _INSTALLERS.items() if kind in kinds), None)
    if made is None:
        raise TypeError(f"{type(server).__module__}.{type(server).__qualname__} is no server of the MCP SDK")
    made(server, options, find(options, name or server.name, here))
    return server


def _high(server: Any, options: Options, known: Any) -> None:
    """`MCPServer` and the SDK's `FastMCP`: both call tools by their own method `call_tool`."""
    found = server._tool_manager.get_tool  # noqa: SLF001 - a look-up; the public listing makes every tool anew
    framework = Framework(partial(_tools, server), partial(_failed, server), structured_of, _cause, found=found)
    handler = Handler(options, framework, known)
    forgets(handler.listings)
    call_tool: Callable[..., Awaitable[Any]] = server.call_tool
    is_first = hasattr(server, "_mcp_server")

    async def handled(name: str, arguments: JsonObject | None = None, *rest: Any, **more: Any) -> Any:
        sent = {} if arguments is None else arguments

        async def proceed(given: JsonValue) -> Any:
            return await call_tool(name, given, *rest, **more)

        within = handling()  # a tool that calls another one by itself gets what it would get without: an exception
        run = _run(server, options, *rest, *more.values())
        done = await handler.around(ToolCall(name, sent, run=run), proceed)
        if within and done.answer is not None and done.answer.is_error:
            raise error(done.answer.text) from raised(done.answer)
        return result_of(done)

    error = _watched(is_first=is_first)
    server.call_tool = handled
    if is_first:
        server._mcp_server.call_tool(validate_input=False)(handled)  # noqa: SLF001 - registered at construction, by value


def _watched(*, is_first: bool) -> type[Exception]:
    """Watch how results are converted; the class of the SDK's own errors of tools."""
    if is_first:
        from mcp.server.fastmcp.exceptions import ToolError
        from mcp.server.fastmcp.utilities.func_metadata import FuncMetadata
    else:
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
    watch(FuncMetadata, "convert_result")
    error: type[Exception] = ToolError
    return error


async def _tools(server: Any) -> list[JsonObject]:
    listed = await server.list_tools()
    return [dumped(tool) for tool in listed]


def _failed(server: Any, error: BaseException) -> Failed:
    if type(error).__name__ in PROTOCOL_ERRORS:
        return "own"
    cause = error.__cause__
    if cause is None:
        return "unknown" if str(error).startswith(_UNKNOWN) else "own"
    if type(cause).__module__.partition(".")[0] == "pydantic_core" and type(error).__name__ == "ToolError":
        tools = server._tool_manager.list_tools()  # noqa: SLF001 - a body may validate too: the model's name tells
        models = {tool.fn_metadata.arg_model.__name__ for tool in tools}
        return "arguments" if getattr(cause, "title", "") in models else "failure"
    return "own" if type(cause).__name__ in {"ToolError", "ResourceError"} else "failure"


def _cause(error: BaseException) -> BaseException:
    return error if error.__cause__ is None else error.__cause__


def _run(server: Any, options: Options, *given: Any) -> str:
    """The run, for hooks; "" where nobody asks, or there is none."""
    if not options.hears_calls:
        return ""
    try:  # the second SDK hands the context over, the first one keeps it
        contexts = [one for one in given if hasattr(one, "request_context")] or [server.get_context()]
        context = contexts[0].request_context
    except (LookupError, ValueError, AttributeError):
        return ""
    return run_of(context, session_of(context))


_INSTALLERS: dict[str, Callable[[Any, Options, Any], None]] = {
    "mcp.server.mcpserver.server.MCPServer": _high,
    "mcp.server.fastmcp.server.FastMCP": _high,
    "mcp.server.lowlevel.server.Server": lambda server, options, known: (
        low_2 if hasattr(server, "get_request_handler") else low_1
    )(server, options, known),
}
