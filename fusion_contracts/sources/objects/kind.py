"""What a framework's file says about its objects: how they are recognised, and how they are listed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Protocol, TypeAlias

from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.record import record

__all__ = ["Inbox", "Outbox", "Serve", "Server", "Toolset", "classes_of", "dumped"]


class Outbox(Protocol):
    """Where a served object writes its messages, a line each."""

    async def write(self, text: str) -> None:
        """Take a part of a line, or several lines."""
        ...

    async def flush(self) -> None:
        """Nothing is held back."""
        ...


Inbox: TypeAlias = AsyncIterator[str]
"""The lines that a served object reads; it ends where a standard input would."""
Serve: TypeAlias = Callable[[Any, Inbox, Outbox], Awaitable[None]]


@record
class Server:
    """Objects that speak MCP. `classes` are `package.Class`; `serve` runs one on two streams until the input ends."""

    title: str
    classes: tuple[str, ...]
    serve: Serve


@record
class Toolset:
    """Objects that only hold tools, one or several. `tools` gives them as MCP would list them, raw.

    `one` says that each is a single tool: a mapping of such names tools, a mapping of any others names servers.
    `as_class`: it is the class itself that is a tool, not an object of it.
    """

    title: str
    classes: tuple[str, ...]
    tools: Callable[[Any], Awaitable[Iterable[JsonValue]]]
    one: bool = False
    as_class: bool = False


def classes_of(kind: type) -> list[str]:
    """A class and what it inherits, each as `package.Class`: the module inside the package changes with releases."""
    return [f"{one.__module__.partition('.')[0]}.{one.__name__}" for one in kind.__mro__]


def dumped(model: Any) -> JsonObject:
    """A pydantic model of the protocol as it stands on the wire."""
    found: JsonObject = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return found
