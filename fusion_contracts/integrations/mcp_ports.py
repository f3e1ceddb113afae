"""What is asked of a client, whatever its class and release: every tool, what the server said of itself, its messages.

Only public methods of the clients are used, but for one attribute: a session takes its handler of messages when it is
made, and has no public place for one that comes later.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any

from fusion_contracts.integrations.locked import Offered
from fusion_contracts.integrations.mcp_results import text_block, types
from fusion_contracts.model import JsonObject
from fusion_contracts.sources.objects.kind import classes_of, dumped

__all__ = ["Port", "first_text", "is_whole", "port_of", "with_text"]

_LIST_CHANGED = "notifications/tools/list_changed"
_MOST_PAGES = 1000
_CHANGED_STREAM = "2026-07-28"  # from here on changes are told on a stream of their own, to those who ask for it


class Port:
    """One client.

    `lists` names the method whose result holds tools, page by page, `calls` the one whose result is a tool's.
    """

    lists = "list_tools"
    calls = "call_tool"

    def __init__(self, client: Any, greeting: Any = None) -> None:
        self.client = client
        self.list = getattr(client, self.lists)
        self.call = getattr(client, self.calls)
        self._greeting = greeting

    @property
    def session(self) -> Any:
        """The SDK's session that the client speaks through."""
        return getattr(self.client, "session", self.client)

    async def open(self) -> None:
        """Greet the server where nobody has yet."""
        session = self.session
        if session is not self.client or _greeted(session):
            return
        self._greeting = await session.initialize()

    async def offered(self) -> Offered:
        """Everything that the server offers now. Raises what the client raises, RuntimeError for pages without end."""
        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self.page(cursor)
            tools += page.tools
            cursor = next_cursor(page)
            if cursor is None:
                return self._offered(tools)
        raise RuntimeError(f"tools/list has more than {_MOST_PAGES} pages")

    async def page(self, cursor: str | None) -> Any:
        """One page, from the server itself and not from a cache."""
        return await self.list(params=None if cursor is None else _params(cursor))

    def _offered(self, tools: list[Any]) -> Offered:
        greeting = self._greeting or getattr(self.client, "initialize_result", None)
        session = self.session
        told = session if hasattr(session, "server_info") else greeting
        info = getattr(told, "server_info", None) or getattr(told, "serverInfo", None)
        return Offered(
            tools=tuple(dumped(tool) for tool in tools),
            info=None if info is None else dumped(info),
            instructions=getattr(told, "instructions", None),
            greeted=told is not None,
            whole=all(type(tool).model_config.get("extra") == "allow" for tool in tools[:1]),
        )

    @contextmanager
    def hearing(self, changed: Callable[[], None]) -> Iterator[None]:
        """Call `changed` whenever the server says that its tools changed, as long as the context is open."""
        session = self.session
        before: Callable[[Any], Awaitable[None]] | None = getattr(session, "_message_handler", None)

        async def handler(message: Any) -> None:
            if getattr(getattr(message, "root", message), "method", None) == _LIST_CHANGED:
                changed()  # no more: here the session waits, and could not be asked
            if before is not None:
                await before(message)

        session._message_handler = handler  # noqa: SLF001 - see the module's text
        try:
            yield
        finally:
            if session._message_handler is handler:  # noqa: SLF001 - as above
                session._message_handler = before  # noqa: SLF001 - as above

    def stream(self) -> AbstractAsyncContextManager[AsyncIterator[Any]] | None:
        """The stream on which a server of the newer protocol tells of changes; None where there is none."""
        session = self.session
        version = getattr(session, "protocol_version", None)
        capabilities = getattr(session, "server_capabilities", None)
        told = getattr(getattr(capabilities, "tools", None), "list_changed", None)
        if version is None or version < _CHANGED_STREAM or not told:
            return None
        from mcp.client.subscriptions import listen

        stream: AbstractAsyncContextManager[AsyncIterator[Any]] = listen(session, tools_list_changed=True)
        return stream


class _Cached(Port):
    """The SDK's own client, which keeps listings while the server lets it."""

    async def page(self, cursor: str | None) -> Any:
        return await self.list(cursor=cursor, cache_mode="refresh")


class _FastMCP(Port):
    """FastMCP's client: what it offers beside is made of these two."""

    lists = "list_tools_mcp"
    calls = "call_tool_mcp"

    async def page(self, cursor: str | None) -> Any:
        known = inspect.signature(self.list).parameters
        if "cache_mode" in known:
            return await self.list(cursor=cursor, cache_mode="refresh")
        if "cursor" in known:
            return await self.list(cursor=cursor)
        return await (self.list() if cursor is None else self.session.list_tools(params=_params(cursor)))


_KINDS: tuple[tuple[str, type[Port]], ...] = (
    ("fastmcp.Client", _FastMCP),
    ("mcp.Client", _Cached),
    ("mcp.ClientSession", Port),
)


def port_of(client: Any, greeting: Any = None) -> Port:
    """The port to a client. Raises TypeError for an object that is none."""
    found = classes_of(type(client))
    for name, kind in _KINDS:
        if name in found:
            return kind(client, greeting)
    known = ", ".join(name for name, _ in _KINDS)
    raise TypeError(f"a client is one of {known}, not {type(client).__module__}.{type(client).__qualname__}")


def next_cursor(page: Any) -> str | None:
    """Where the next page begins; None on the last."""
    found = page.next_cursor if hasattr(page, "next_cursor") else page.nextCursor  # never both: one of them may warn
    return None if found is None else str(found)


def is_whole(page: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether a page is all there is; the rest is what it was asked for with."""
    asked = (*args, kwargs.get("cursor"), kwargs.get("params"))
    return next_cursor(page) is None and not any(asked)


def first_text(result: Any) -> str:
    """The text of a result's first block of text; "" where it has none."""
    return next((block.text for block in result.content if getattr(block, "type", None) == "text"), "")


def with_text(result: Any, text: str, meta: JsonObject) -> Any:
    """The result with its first block of text replaced, put first where there is none, and more in its `_meta`."""
    content = list(result.content)
    at = next((index for index, block in enumerate(content) if getattr(block, "type", None) == "text"), None)
    if at is None:
        content.insert(0, text_block(text))
    else:
        content[at] = content[at].model_copy(update={"text": text})
    return result.model_copy(update={"content": content, "meta": {**(result.meta or {}), **meta} or None})


def _params(cursor: str) -> Any:
    return types().PaginatedRequestParams(cursor=cursor)


def _greeted(session: Any) -> bool:
    capabilities = getattr(session, "get_server_capabilities", None)  # the SDK's first major
    return capabilities() is not None if capabilities else session.protocol_version is not None
