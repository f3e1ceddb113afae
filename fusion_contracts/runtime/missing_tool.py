"""The answer to a call of a tool that is not there: whether it was, since when not, and what to call instead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fusion_contracts.model import ServerContract, Tool
from fusion_contracts.runtime.awareness import ContractAwareness
from fusion_contracts.runtime.deltas import Delta, actions_of
from fusion_contracts.runtime.echo import clip
from fusion_contracts.runtime.near import similar, slip
from fusion_contracts.runtime.shape import Shape

if TYPE_CHECKING:
    from fusion_contracts.runtime.fault import ToolFault

__all__ = ["unknown_action"]

_MOST = 5
_CLOSE = 0.5
_END = "Do not explain the error."
_IF_IT_DOES = "Do not call {} again; call one of the available actions if it does the job."


def unknown_action(
    name: str, live: ServerContract | Iterable[str], awareness: ContractAwareness | None = None
) -> ToolFault:
    """The UNKNOWN_ACTION fault for a name that the live contract does not have.

    `live` is the live contract, or the names that can be called. At most five nearest actions are offered, the
    successor first; where some are the name itself, misspelt, no others. What was removed is said in the message, and
    then no block of changes belongs into the error.
    """
    from fusion_contracts.runtime.fault import tool_error

    tools: Mapping[str, Any] = _callable(live) if isinstance(live, ServerContract) else dict.fromkeys(live)
    gone = _removal(name, awareness)
    shown = clip(name)
    what = "action" if name.rpartition(".")[0] in tools else "tool"
    if gone is None:
        meant = similar(name, tools, _MOST, close=_CLOSE, fits=lambda other: slip(name, other))
        near = meant or similar(name, tools, _MOST, close=_CLOSE)
        advice = _IF_IT_DOES.format(shown) if near else f"Do not call {shown} again."
        advice = f"{'Call one of the available actions.' if meant else advice} {_END}"
        return tool_error("UNKNOWN_ACTION", f"No {what} {shown}.", suggestion=advice, available_actions=near)
    successor = gone.successor if gone.successor in tools else None
    fate = f"Renamed to {clip(successor)}" if successor else "Removed"
    since = f" since {clip(gone.since)}" if gone.since else ""
    dispatcher = None if successor else _dispatcher(name, tools)
    near = [first for first in (successor, dispatcher) if first is not None]
    near = near or similar(name, tools, _MOST, close=_CLOSE)
    advice = _advice(shown, name, successor, dispatcher, found=bool(near))
    message = f"No {what} {shown}. {fate}{since}."
    return tool_error("UNKNOWN_ACTION", message, suggestion=advice, available_actions=near)


def _callable(live: ServerContract) -> dict[str, Any]:
    """Every name that can be called: tools, and the actions of grouped ones by their keys."""
    names: dict[str, Any] = dict(live.tools)
    for tool in live.tools.values():
        names |= dict.fromkeys(actions_of(tool).schemas)
    return names


def _removal(name: str, awareness: ContractAwareness | None) -> Delta | None:
    deltas = awareness.deltas(name) if awareness is not None else ()
    whole = [delta for delta in deltas if not delta.field and delta.text.startswith(("removed", "renamed to "))]
    return max(whole, key=lambda delta: delta.age, default=None)


def _advice(shown: str, name: str, successor: str | None, dispatcher: str | None, *, found: bool) -> str:
    if successor is not None:
        return f"Call {clip(successor)} instead. {_END}"
    if dispatcher is not None:
        call = json.dumps({"name": name[:128], "arguments": {}}, separators=(",", ":"))
        return f"Call {clip(dispatcher)} with {call}. {_END}"
    if found:
        return f"{_IF_IT_DOES.format(shown)} {_END}"
    return f"Do not call {shown} again. Go on without it. {_END}"


def _dispatcher(name: str, tools: Mapping[str, Any]) -> str | None:
    """The one tool that takes another tool's name and arguments: where removed tools move to."""
    found = [key for key, tool in tools.items() if isinstance(tool, Tool) and _dispatches(tool, name)]
    return found[0] if len(found) == 1 else None


def _dispatches(tool: Tool, name: str) -> bool:
    shape = Shape(tool.input_schema)
    flat = shape.at(())
    properties = flat.get("properties")
    required = flat.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return False
    if "name" not in required or "arguments" not in properties:
        return False
    known = shape.at(("name",))
    options = known.get("enum")
    listed = name in options if isinstance(options, list) else known.get("type") == "string"
    return listed and shape.at(("arguments",)).get("type") == "object"
