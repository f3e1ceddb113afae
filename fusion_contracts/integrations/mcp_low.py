"""The low-level servers of the MCP SDK: what a handler of `tools/call` raises, returns, and is asked.

SDK 2 hands a handler everything and judges nothing. SDK 1 judges arguments by their first error, and makes texts of
exceptions; so what the function under its decorator raised is kept beside the result that was made of it.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.integrations.announced import forgets
from fusion_contracts.integrations.beside import UnfitOutputError
from fusion_contracts.integrations.framework import Failed, Framework, is_flagged
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.mcp_results import result_of, structured_of, types
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.integrations.runs import run_of, session_of
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.releases import Known
from fusion_contracts.sources.objects.kind import dumped

__all__ = ["PROTOCOL_ERRORS", "low_1", "low_2"]

PROTOCOL_ERRORS = frozenset({"MCPError", "McpError", "UrlElicitationRequiredError"})
"""The SDK's exceptions that go to the client as they are."""
_PAGES = 100  # pages of a listing that are read
_seen: ContextVar[dict[str, Any] | None] = ContextVar("fusion_contracts_seen", default=None)


def low_2(server: Any, options: Options, known: Known) -> None:
    """Handle the calls of a low-level server of SDK 2."""
    entry, listing = (server.get_request_handler(method) for method in ("tools/call", "tools/list"))
    _must_be_there(entry, listing)
    framework = Framework(tuple, _failed, structured_of, judges=False, lists_all=True)
    handler = Handler(options, framework, known)
    forgets(handler.listings)

    async def handled(context: Any, params: Any) -> Any:
        sent = {} if params.arguments is None else params.arguments

        async def proceed(arguments: JsonValue) -> Any:
            same = arguments is sent
            return await entry.handler(context, params if same else params.model_copy(update={"arguments": arguments}))

        call = ToolCall(params.name, sent, run=_run(context, options))
        return result_of(await handler.around(call, proceed, partial(_pages_2, listing, context)))

    async def listed(context: Any, params: Any) -> Any:
        try:
            return await listing.handler(context, params)
        finally:
            handler.listings.forget()

    server.add_request_handler("tools/call", entry.params_type, handled)
    server.add_request_handler("tools/list", listing.params_type, listed)


async def _pages_2(listing: Any, context: Any) -> list[JsonObject]:
    found: list[JsonObject] = []
    cursor = None
    for _ in range(_PAGES):
        page = await listing.handler(context, listing.params_type.model_validate({"cursor": cursor} if cursor else {}))
        found += [dumped(tool) for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def low_1(server: Any, options: Options, known: Known) -> None:
    """Handle the calls of a low-level server of SDK 1."""
    protocol = types()
    inner = server.request_handlers.get(protocol.CallToolRequest)
    listing = server.request_handlers.get(protocol.ListToolsRequest)
    _must_be_there(inner, listing)
    _keep_what_is_raised(inner)
    framework = Framework(partial(_pages_1, listing), _failed, structured_of, judges=False, lists_all=True)
    handler = Handler(options, framework, known)
    forgets(handler.listings)

    async def handled(request: Any) -> Any:
        params = request.params
        sent = {} if params.arguments is None else params.arguments

        async def proceed(arguments: JsonValue) -> Any:
            same = arguments is sent
            given = params if same else params.model_copy(update={"arguments": arguments})
            return await _seen_through(inner, request if same else request.model_copy(update={"params": given}))

        call = ToolCall(params.name, sent, run=_run(_context_1(server), options))
        done = result_of(await handler.around(call, proceed))
        return done if isinstance(done, protocol.ServerResult) else protocol.ServerResult(done)

    async def listed(request: Any) -> Any:
        try:
            return await listing(request)
        finally:
            handler.listings.forget()

    server.request_handlers[protocol.CallToolRequest] = handled
    server.request_handlers[protocol.ListToolsRequest] = listed


async def _seen_through(inner: Any, request: Any) -> Any:
    """The result that SDK 1 makes, or what the function below it raised or returned and the SDK could not use."""
    seen: dict[str, Any] = {}
    token = _seen.set(seen)
    try:
        result = await inner(request)
    finally:
        _seen.reset(token)
    if "raised" in seen:
        raise seen["raised"]
    if isinstance(seen.get("returned"), ToolFault):
        return seen["returned"]
    made = result.root
    if "returned" in seen and is_flagged(made) and made is not seen["returned"]:
        raise UnfitOutputError
    return made


def _keep_what_is_raised(inner: Any) -> None:
    """Let the function under the SDK's decorator tell what it did: the decorator keeps it in a cell of its closure."""
    names = getattr(getattr(inner, "__code__", None), "co_freevars", ())
    if "func" not in names:
        return
    cell = inner.__closure__[names.index("func")]
    function = cell.cell_contents

    async def telling(*args: Any, **kwargs: Any) -> Any:
        seen = _seen.get()
        try:
            returned = await function(*args, **kwargs)
        except Exception as error:
            if seen is not None:
                seen["raised"] = error
            raise
        if seen is not None:
            seen["returned"] = returned
        return returned

    cell.cell_contents = telling


async def _pages_1(listing: Any) -> list[JsonObject]:
    protocol = types()
    found: list[JsonObject] = []
    params: Any = None
    for _ in range(_PAGES):
        page = (await listing(protocol.ListToolsRequest(method="tools/list", params=params))).root
        found += [dumped(tool) for tool in page.tools]
        if page.nextCursor is None:
            break
        params = protocol.PaginatedRequestParams(cursor=page.nextCursor)
    return found


def _must_be_there(call: Any, listing: Any) -> None:
    if call is None or listing is None:
        what = "call" if call is None else "list"
        message = f"the server has no handler that can {what} its tools"
        raise FusionError(message, "install the integration after its handlers are registered", stage="usage")


def _failed(error: BaseException) -> Failed:
    return "own" if type(error).__name__ in PROTOCOL_ERRORS else "failure"


def _context_1(server: Any) -> Any:
    try:
        return server.request_context
    except LookupError:
        return None


def _run(context: Any, options: Options) -> str:
    """The run, for hooks; "" where nobody asks, or there is none."""
    if not options.hears_calls:
        return ""
    return run_of(context, session_of(context))
