"""Results that say what is missing, and searches that found nothing: successes that a model cannot take for more.

A partial result is a success whose content says what is missing, why, and how to go on. Its structured form says all of
it as well, because some frameworks show the model nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from fusion_contracts.loop.retrying import can_help
from fusion_contracts.model import JsonObject
from fusion_contracts.runtime.echo import clip
from fusion_contracts.runtime.envelope import clean
from fusion_contracts.runtime.fault import ToolFault, checked_text, tool_error

__all__ = ["FailedItem", "Failure", "PartialResult", "Status", "empty", "partial"]

Item = TypeVar("Item")

_LONGEST_SEARCH = 500  # characters that say what was looked through

Status: TypeAlias = Literal["complete", "partial", "empty"]


@dataclass(frozen=True, slots=True)
class FailedItem:
    """What of a batch did not succeed: the item, as the caller names it, and why."""

    item: str
    fault: ToolFault

    @property
    def retryable(self) -> bool:
        """Whether trying this item again can help."""
        return can_help(self.fault)

    def to_dict(self) -> JsonObject:
        """`item`, `code`, `message`, `retryable`; `retry_after` (seconds) where there is one."""
        fault = self.fault
        said = {"item": self.item, "code": fault.code, "message": fault.message, "retryable": self.retryable}
        return said if fault.retry_after is None else {**said, "retry_after": fault.retry_after}


Failure: TypeAlias = FailedItem | tuple[Any, ToolFault | BaseException | str]
"""A failed item, or the item with why: a fault, an exception, or a sentence of your own."""


@dataclass(frozen=True, slots=True)
class PartialResult(Generic[Item]):
    """What a tool that works on many items answers: complete, partial, or empty.

    `total` is the number of all items that were asked for or found, None where it is not known; `earlier` of these
    were handed over by earlier calls. `cursor` is what the next call takes to go on. `searched` says what was looked
    through, for a search that found nothing. `PartialResult[Invoice]` is the class of results that hold invoices: a
    return annotation, and the owner of the schema that the tool declares.
    """

    items: tuple[Item, ...] = ()
    failed: tuple[FailedItem, ...] = ()
    cursor: str | None = None
    total: int | None = None
    earlier: int = 0
    searched: str | None = None

    item_type: ClassVar[Any] = Any

    if not TYPE_CHECKING:  # to a type checker it is a plain generic class

        def __class_getitem__(cls, item: Any) -> Any:
            return cls if isinstance(item, TypeVar) else _class_of(cls, item)

    @property
    def status(self) -> Status:
        """`partial` where anything is missing; `empty` where nothing is and nothing was found."""
        done = self.earlier + len(self.items)
        if self.failed or self.cursor is not None or (self.total is not None and done < self.total):
            return "partial"
        return "complete" if done else "empty"

    @property
    def retry_after(self) -> float | None:
        """Seconds after which every failed item that may be tried again may be; None for at once."""
        waits = [each.fault.retry_after for each in self.failed if each.retryable]
        return max((seconds for seconds in waits if seconds is not None), default=None)

    @property
    def following(self) -> str:
        """What a reader should do next, in words."""
        from fusion_contracts.loop.partial_text import following

        return following(self)

    def to_text(self) -> str:
        """The text that a model reads: what succeeded as JSON, what is missing and why, how to go on."""
        from fusion_contracts.loop.partial_text import render

        return render(self)

    def __str__(self) -> str:
        return self.to_text()

    def to_structured(self) -> JsonObject:
        """The same as JSON, valid under `output_schema()`; what is not known is left out, never null."""
        from fusion_contracts.loop.partial_schema import structured

        return structured(self)

    def to_mcp(self) -> JsonObject:
        """A tool's result as MCP sends it: `content`, `structuredContent`, `isError` false."""
        block = {"type": "text", "text": self.to_text()}
        return {"content": [block], "structuredContent": self.to_structured(), "isError": False}

    @classmethod
    def output_schema(cls) -> JsonObject:
        """The JSON Schema (2020-12, an object at its root) of `to_structured()`, for the tool to declare.

        The items' part is pydantic's schema of the item type, as it is written out. Raises pydantic's own error on a
        type that has none.
        """
        from fusion_contracts.loop.partial_schema import output_schema

        return output_schema(cls.item_type)

    @classmethod
    def model(cls) -> Any:
        """The same schema as a pydantic model, for the SDK: `Annotated[CallToolResult, PartialResult[Item].model()]`.

        `MCPServer` takes no other class of ours as an annotation; such a tool returns `to_mcp()` as a `CallToolResult`.
        """
        from fusion_contracts.loop.partial_schema import model

        return model(cls.__name__, cls.item_type)

    @property
    def __pydantic_serializer__(self) -> Any:
        """For whoever writes an instance without knowing its class, as FastMCP does."""
        from fusion_contracts.loop.partial_schema import serializer

        return serializer()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from fusion_contracts.loop.partial_schema import core_schema

        return core_schema(cls, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> JsonObject:
        from fusion_contracts.loop.partial_schema import json_schema

        return json_schema(schema, handler)


@lru_cache(maxsize=256)
def _class_of(cls: type[PartialResult[Any]], item: Any) -> type[PartialResult[Any]]:
    """The class of results of one item type: of a real class, frameworks ask what they ask of any."""
    name = f"{cls.__name__}[{getattr(item, '__name__', repr(item))}]"
    body = {"__slots__": (), "__module__": cls.__module__, "__doc__": cls.__doc__, "item_type": item}
    return new_class(name, (cls,), exec_body=lambda namespace: namespace.update(body))


def partial(
    items: Iterable[Item],
    failed: Iterable[Failure] = (),
    *,
    cursor: str | None = None,
    total: int | None = None,
    earlier: int = 0,
) -> PartialResult[Item]:
    """What succeeded, what did not and why, and how to go on.

    `failed` are pairs of an item (what names it) and its ToolFault, exception or sentence; of an exception the
    model reads only what `Outcome` says of it. `cursor` is what the next call takes; `total` counts all items,
    `earlier` those of them that earlier calls handed over. With nothing missing the result is complete.

    Raises TypeError or ValueError on values of the wrong kind, naming the parameter.
    """
    if isinstance(items, str | bytes | Mapping):
        raise TypeError(f"items must be a list of items, not {type(items).__name__}")
    for name, count in (("total", total), ("earlier", earlier)):
        if count is not None and (type(count) is not int or count < 0):
            raise ValueError(f"{name} must be a number of items, not {count!r:.40}")
    found = tuple(_failed_item(each) for each in failed)
    return PartialResult(tuple(items), found, None if cursor is None else _said(cursor, "cursor"), total, earlier)


def empty(*, searched: str) -> PartialResult[Any]:
    """Nothing was found, and that is the complete answer: never an error, never null, never an empty text.

    `searched` says what was looked through (`"invoices of 2026 with status open"`), so that a model knows what the
    answer covers; of a long text the beginning is kept. Raises TypeError or ValueError where it is no text or says
    nothing.
    """
    return PartialResult(total=0, searched=clip(_said(searched, "searched"), _LONGEST_SEARCH))


def _said(given: object, name: str) -> str:
    text = checked_text(given, name).strip()
    if not text:
        raise ValueError(f"{name} must not be an empty text")
    return text


def _failed_item(given: object) -> FailedItem:
    if isinstance(given, FailedItem):
        return given
    if not isinstance(given, tuple) or len(given) != 2:  # noqa: PLR2004 - a pair
        raise TypeError(f"failed must hold pairs of an item and its fault, not {type(given).__name__}")
    item, why = given
    if isinstance(why, ToolFault):
        return FailedItem(clean(str(item)), why.fault)
    if isinstance(why, BaseException):
        from fusion_contracts.loop.exceptions import told

        return FailedItem(clean(str(item)), told(why).fault)
    if isinstance(why, str) and why.strip():
        return FailedItem(clean(str(item)), tool_error("UNKNOWN", why))
    raise TypeError(f"the reason of a failed item must be a fault or an exception, not {type(why).__name__}")
