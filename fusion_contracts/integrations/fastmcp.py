"""FastMCP 2.14, 3 and 4: a middleware.

    server.add_middleware(FusionMiddleware())

Added last it stands nearest to the tools, and sees what they raise as they raise it.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from fastmcp import tools as fastmcp_tools
from fastmcp.server.middleware import Middleware

from fusion_contracts.canonical import printable
from fusion_contracts.integrations.announced import forgets
from fusion_contracts.integrations.answers import Answer
from fusion_contracts.integrations.finding import find
from fusion_contracts.integrations.framework import NOT_JUDGED, Failed, Framework, Handled, is_flagged
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.mcp_results import beside, call_tool_result, text_block
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.integrations.returning import watch
from fusion_contracts.integrations.runs import run_of
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.objects.kind import dumped

__all__ = ["FusionMiddleware", "install"]

_log = logging.getLogger("fusion_contracts.integrations")
_TOOLS: Any = sys.modules.get("fastmcp.tools.base") or fastmcp_tools.tool  # FastMCP 3 and 4, or 2
_IS_OLD = "is_error" not in getattr(_TOOLS.ToolResult, "model_fields", ())
_CRASHED = "Error calling tool "  # what FastMCP's own ToolError around a crash begins with
_UNKNOWN = frozenset({"NotFoundError", "DisabledError"})
_AGAINST = {
    "ErrorHandlingMiddleware": "turns refused arguments into protocol errors, which a model does not see",
    "RetryMiddleware": "runs a tool again without asking whether its first run took effect",
}


class FusionMiddleware(Middleware):  # type: ignore[misc]  # FastMCP is no dependency: its classes are Any here
    """Errors that heal, for every tool of a FastMCP server."""

    def __init__(
        self, options: Options | None = None, *, name: str = "", near: str | PathLike[str] | None = None
    ) -> None:
        """`name` is the server's NAME in its releases; `near` the folder where they are looked for first.

        By default that is the folder of the file that makes the middleware, and the name is the server's own, which is
        known when its tools are first listed or called: then the releases are looked for. Raises FusionError where the
        options are strict and there is no release, ValueError where they are strict and there is no name.
        """
        self._options = options or Options()
        self._near = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
        if not name and self._options.strict:
            raise ValueError("strict needs the server's name: FusionMiddleware(options, name=...), or attach(server)")
        self._handler = self._made(name) if name else None
        self._names_runs = self._options.hears_calls
        self._looked = False
        watch(*((_TOOLS, "_convert_to_content") if _IS_OLD else (_TOOLS.Tool, "convert_result")))

    def __call__(self, context: Any, call_next: Any) -> Any:
        """Calls of tools alone are handled; FastMCP's own way to find that out costs more than handling one."""
        if context.method == "tools/call":
            return self.on_call_tool(context, call_next)
        if context.method == "tools/list":  # whoever is listed the tools is held to what they are now
            self._of(context.fastmcp_context.fastmcp).listings.forget()
        return call_next(context)

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Handle one call."""
        message, server = context.message, context.fastmcp_context.fastmcp
        if not self._looked:
            self._looked = True
            _look(server, self)
        handler = self._handler or self._of(server)
        sent = message.arguments if message.arguments is not None else {}

        def proceed(arguments: JsonValue) -> Any:
            if arguments is sent:
                return call_next(context)
            return call_next(context.copy(message=message.model_copy(update={"arguments": arguments})))

        call = ToolCall(message.name, sent, run=_run(context) if self._names_runs else "")
        return _result(await handler.around(call, proceed, partial(_tools, server)))

    def _of(self, server: Any) -> Handler:
        """The handler, made at the first message where nobody named the server before."""
        if self._handler is None:
            self._handler = self._made(server.name)
        return self._handler

    def _made(self, name: str) -> Handler:
        handler = Handler(self._options, _FRAMEWORK, find(self._options, name, self._near))
        forgets(handler.listings)
        return handler


def install(
    server: Any, options: Options | None = None, *, name: str = "", near: str | PathLike[str] | None = None
) -> Any:
    """Add the middleware to a server, and return the server. `name` and `near` as there; its own name by default."""
    here = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
    server.add_middleware(FusionMiddleware(options, name=name or server.name, near=here))
    return server


def _result(handled: Handled) -> Any:
    if handled.answer is not None:
        return _answered(handled.answer)
    return beside(handled.result, handled.warnings) if handled.warnings else handled.result


def _answered(answer: Answer) -> Any:
    content = [text_block(answer.text)]
    if not _IS_OLD:
        return _TOOLS.ToolResult(content=content, meta=answer.meta, is_error=answer.is_error)
    result = _TOOLS.ToolResult(content=content, meta=answer.meta)
    result.to_mcp_result = lambda: call_tool_result(answer)  # FastMCP 2 has no flag: what it sends is made by this
    result.is_error = answer.is_error  # for a handler around this one
    return result


def _structured(result: Any) -> JsonValue:
    if not isinstance(result, _TOOLS.ToolResult) or is_flagged(result):
        return NOT_JUDGED  # a background task, or a failure
    if result.structured_content is None and type(result) is not _TOOLS.ToolResult:
        return NOT_JUDGED  # a question to the client
    return result.structured_content


def _failed(error: BaseException) -> Failed:
    home, name = type(error).__module__.partition(".")[0], type(error).__name__
    if home == "fastmcp" and name in _UNKNOWN:
        return "unknown"
    cause = error.__cause__ if home == "fastmcp" and name == "ValidationError" else error
    if type(cause).__module__.partition(".")[0] == "pydantic_core" and getattr(cause, "title", "").startswith("call["):
        return "arguments"
    if home == "mcp" or (home == "fastmcp" and not (error.__cause__ and str(error).startswith(_CRASHED))):
        return "own"
    return "failure"


def _cause(error: BaseException) -> BaseException:
    """What the tool raised: FastMCP wraps it once, and a validator's error twice."""
    while error.__cause__ is not None and type(error).__module__.partition(".")[0] == "fastmcp":
        error = error.__cause__
    return error


_FRAMEWORK = Framework(tuple, _failed, _structured, _cause)


async def _tools(server: Any) -> list[JsonObject]:
    """What the caller would be listed, the newest version of each."""
    listed = await (server._list_tools_middleware() if _IS_OLD else server.list_tools())  # noqa: SLF001 - 2 has no other
    by_name: dict[str, Any] = {}
    for tool in listed:
        name = tool.key if _IS_OLD else tool.name
        by_name[name] = tool if name not in by_name else await server.get_tool(name)
    return [
        dumped(tool.to_mcp_tool(name=name))
        for name, tool in by_name.items()
        if tool is not None
    ]


def _run(context: Any) -> str:
    """The run, for hooks; "" where there is none."""
    try:
        session = str(context.fastmcp_context.session_id)
    except (RuntimeError, AttributeError):
        session = ""
    return run_of(getattr(context.fastmcp_context, "request_context", None), session)


def _look(server: Any, ours: Middleware) -> None:
    """Say which middleware of FastMCP's own works against this one: those that stand nearer to the tools."""
    chain: Iterable[Any] = list(server.middleware)
    nearer = False
    for middleware in chain:
        against = _AGAINST.get(type(middleware).__name__)
        if nearer and against is not None:
            name, server_name = type(middleware).__name__, printable(server.name)
            _log.warning("%s of %s %s: add it before FusionMiddleware, or leave it out", name, server_name, against)
        nearer = nearer or middleware is ours
