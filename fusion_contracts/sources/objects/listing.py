"""What an object offers: a listing for each server that it is, or that it holds."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonValue
from fusion_contracts.record import record
from fusion_contracts.sources.base import Listing
from fusion_contracts.sources.catalog import listing_of
from fusion_contracts.sources.formats import document_listing, is_tool, mcp_tools
from fusion_contracts.sources.jsonrpc import Connection, RefusedError, SilenceError
from fusion_contracts.sources.mcp_session import ListTimeoutError, Session
from fusion_contracts.sources.objects import Server, Toolset, kind_of
from fusion_contracts.sources.objects.serving import Served, StoppedError, in_a_loop

__all__ = ["Asking", "is_container", "listings"]

_FIELDS = frozenset({"result", "inputSchema", "input_schema", "functionDeclarations"})
_LOOK = "look at the server's own code"


@record
class Asking:
    """How objects are listed: `label` names the object in messages, `timeout` is in seconds for each server.

    `protocol_version` is the locked one; `explain` puts what the object raised into words that hold no secret.
    """

    label: str
    timeout: float
    protocol_version: str | None
    explain: Callable[[BaseException], str]


def listings(item: Any, asking: Asking) -> dict[str, Listing]:
    """The listings of an object by server: one under "" unless the object is a mapping that names several.

    Raises FusionError for an object that offers no tools, and where listing one fails.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a framework deprecates is no part of a contract
        try:
            if isinstance(item, Mapping) and not _is_definition(item):
                return _mapping(item, asking)
            return {"": _one(item, asking)}
        except RecursionError:
            message = f"{asking.label} holds itself, or is nested too deeply"
            step = "name a server, a toolset, or a list or mapping of tools"
            raise FusionError(message, step, stage="list") from None


def is_container(item: Any) -> bool:
    """Whether an object lists several tools: a server, a toolset, a list."""
    kind = kind_of(item)
    return isinstance(item, (list, tuple)) or isinstance(kind, Server) or (kind is not None and not kind.one)


def _one(item: Any, asking: Asking) -> Listing:
    kind = kind_of(item)
    if isinstance(kind, Server):
        return _served(item, kind, asking)
    if kind is None and isinstance(item, Mapping):
        return listing_of(dict(item), asking.label)
    tools, notes = _tools(item, kind, asking)
    return Listing(tools=tuple(tools), notes=notes)


def _tools(item: Any, kind: Toolset | None, asking: Asking) -> tuple[list[JsonValue], tuple[str, ...]]:
    """The tools of a toolset, a tool, a definition, or a list of any of these."""
    if kind is not None:
        try:
            found = in_a_loop(lambda: kind.tools(item), asking.timeout)
        except SilenceError:
            message = f"{asking.label}, {kind.title}, has not listed its tools after {asking.timeout:g} s"
            raise FusionError(message, _LOOK, stage="list") from None
        except Exception as error:  # noqa: BLE001 - whatever the object raises is its own
            message = f"{asking.label}, {kind.title}, cannot be listed: {asking.explain(error)}"
            raise FusionError(message, _LOOK, stage="list") from None
        return mcp_tools(list(found), asking.label)
    if isinstance(item, (list, tuple, set, frozenset)):
        return _listed(item, asking)
    raise _refusal(item, asking)


def _listed(items: Any, asking: Asking) -> tuple[list[JsonValue], tuple[str, ...]]:
    definitions = [one for one in items if isinstance(one, Mapping)]
    tools, notes = mcp_tools([dict(one) for one in definitions], asking.label)
    for one in items:
        if not isinstance(one, Mapping):
            listing = _one(one, asking)
            tools += listing.tools
            notes += listing.notes
    return tools, notes


def _mapping(items: Mapping[Any, Any], asking: Asking) -> dict[str, Listing]:
    """A mapping names tools, where each of its values is one, or servers, where none is."""
    for key in items:
        if not (isinstance(key, str) and key):
            message = f"{asking.label} is a mapping with a key that is no name"
            raise FusionError(message, "name each tool, or each server", stage="usage")
    containers = [key for key, one in items.items() if is_container(one)]
    if not containers:
        found = [_named(key, one, asking) for key, one in items.items()]
        return {"": Listing(tools=tuple(found))}
    if len(containers) < len(items):
        one = next(key for key in items if key not in containers)
        message = f"{asking.label} is a mapping of servers and of single tools: {containers[0]} and {one}"
        raise FusionError(printable(message), "keep them in two mappings", stage="usage")
    return {key: _one(one, asking) for key, one in items.items()}


def _named(name: str, item: Any, asking: Asking) -> JsonValue:
    """One tool under the name that its mapping gives it."""
    tools, _ = _listed([item], asking)
    (tool,) = tools if len(tools) == 1 else (None,)
    if not isinstance(tool, dict):
        message = f"{asking.label}: {printable(name)} is not one tool"
        raise FusionError(message, "name a server or a toolset, or one tool", stage="usage")
    return {**tool, "name": name}


def _is_definition(item: Mapping[Any, Any]) -> bool:
    """Whether a mapping is written as a file would be: a catalog, a tool, an OpenAPI document."""
    if not all(isinstance(key, str) for key in item):
        return False
    value = dict(item)
    tools = value.get("tools")
    listed = isinstance(tools, list) and all(isinstance(one, Mapping) for one in tools)
    return listed or not _FIELDS.isdisjoint(value) or is_tool(value) or document_listing(value, "it") is not None


def _refusal(item: Any, asking: Asking) -> FusionError:
    if inspect.isroutine(item):
        message = f"{asking.label} is a function, and is not called"
        step = f"a factory is called where parentheses say so: '{asking.label}()'"
        return FusionError(message, step, stage="usage")
    what = f"the class {item.__name__}" if isinstance(item, type) else f"of the type {type(item).__name__}"
    message = f"{asking.label} is {printable(what)}, which offers no tools that are known here"
    step = "name a FastMCP or MCP server, a toolset, tools, pydantic models, or a list or mapping of these"
    return FusionError(message, step, stage="usage")


# --- servers ---------------------------------------------------------------------------------------------------------


def _served(item: Any, kind: Server, asking: Asking) -> Listing:
    """What a server object lists, by the same conversation as over stdio."""
    deadline = time.monotonic() + asking.timeout
    with Served(item, kind.serve) as channel:
        session = Session(Connection(channel), deadline)
        try:
            return session.list_everything(asking.protocol_version)
        except FusionError as error:
            message = f"{asking.label} {error.problem.message}"
            raise FusionError.of(replace(error.problem, message=message)) from None
        except SilenceError:
            said = f"gives no answer to initialize in {asking.timeout:g} s"
        except StoppedError as stop:
            said = f"cannot be listed: {asking.explain(stop.why)}" if stop.why else "stops before it is listed"
        except RefusedError as refusal:
            said = str(refusal)
        except ListTimeoutError as late:
            said = f"has not answered {late} after {asking.timeout:g} s"
    raise FusionError(f"{asking.label}, {kind.title}, {said}", _LOOK, stage="list")
