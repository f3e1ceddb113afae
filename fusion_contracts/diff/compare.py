"""Two contracts of one server: every fact that differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fusion_contracts.diff.changes import Fact, ServerAdded, ServerRemoved, ToolAdded, ToolRemoved, ToolRenamed
from fusion_contracts.diff.fields import same, same_types
from fusion_contracts.diff.pairing import pair
from fusion_contracts.diff.prose import hidden_added
from fusion_contracts.diff.servers import server_changes
from fusion_contracts.diff.tools import listed, tool_facts
from fusion_contracts.model import JsonObject, JsonValue, ServerContract, Tool

__all__ = ["compare_contracts", "server_added", "server_removed", "shared"]

_NEAR = 0.75  # of difflib: `emulate_cpu` is near `emulate`, `browser_pdf_save` is not near `browser_type`
_MANY = 400  # tools of a server among which the nearest name is looked for


def compare_contracts(old: ServerContract, new: ServerContract, *, world: str) -> Iterator[Fact]:
    """Every fact that differs between two contracts. Tools that are the same object are passed over (`shared`)."""
    for change in server_changes(old, new):
        yield Fact(change, "server", change.pointer)
    before, after = _shown(old), _shown(new)
    if not same(before, after):
        for hidden in hidden_added(before, after):
            yield Fact(hidden, "server", hidden.pointer)
    yield from _tools(old, new, world)


def shared(old: ServerContract, new: ServerContract) -> ServerContract:
    """The new contract with the old one's tool, the same object, wherever nothing differs."""
    tools = {
        name: old.tools[name] if name in old.tools and _same(old.tools[name], tool) else tool
        for name, tool in new.tools.items()
    }
    return replace(new, tools=tools)


def server_added(contract: ServerContract) -> Iterator[Fact]:
    """The facts about a server that was not there before."""
    yield Fact(ServerAdded(), "server", "")
    for hidden in hidden_added(None, _shown(contract)):
        yield Fact(hidden, "server", hidden.pointer)
    for tool in contract.tools.values():
        yield from _hidden_in(tool)


def server_removed() -> Iterator[Fact]:
    """The one fact about a server that is gone."""
    yield Fact(ServerRemoved(), "server", "")


def _tools(old: ServerContract, new: ServerContract, world: str) -> Iterator[Fact]:
    pairs, gone, fresh = pair(old.tools, new.tools, fits=_fits, same=_takes_the_same)
    for tool in gone:
        yield Fact(ToolRemoved(name=_closest(tool.name, new)), "tool", "", tool.name)
    for tool in fresh:
        yield Fact(ToolAdded(), "tool", "", tool.name)
        yield from _hidden_in(tool)
    for before, after in pairs:
        if before.name != after.name:
            yield Fact(ToolRenamed(before=before.name, after=after.name), "tool", "", before.name)
        if before is not after:
            yield from tool_facts(before, after, world=world)


def _same(old: Tool, new: Tool) -> bool:
    """Whether nothing at all differs: Python's equality first, which takes 1 for true, then JSON's."""
    return old is new or (old == new and same_types(_json(old), _json(new)))


def _json(tool: Tool) -> tuple[JsonObject, ...]:
    return (tool.input_schema, tool.output_schema, tool.annotations, tool.execution, tool.meta, tool.extra)


def _fits(old: Tool, new: Tool) -> bool:
    """Whether at least half of the old arguments are arguments of the new tool too, all of the same types."""
    before, after = _arguments(old), _arguments(new)
    shared = before.keys() & after.keys()
    return 2 * len(shared) >= len(before) and all(_type(before[name]) == _type(after[name]) for name in shared)


def _takes_the_same(old: Tool, new: Tool) -> bool:
    before, after = _arguments(old), _arguments(new)
    return bool(before) and before.keys() == after.keys()


def _arguments(tool: Tool) -> JsonObject:
    properties = tool.input_schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _type(schema: JsonValue) -> JsonValue:
    return schema.get("type") if isinstance(schema, dict) else None


def _closest(name: str, contract: ServerContract) -> str:
    if len(contract.tools) > _MANY:  # each is a comparison of two texts, for every tool that is gone
        return ""
    from difflib import get_close_matches  # 2 ms, only when a tool is gone

    found = get_close_matches(name, contract.tools, n=1, cutoff=_NEAR)
    return found[0] if found else ""


def _hidden_in(tool: Tool) -> Iterator[Fact]:
    for hidden in hidden_added(None, listed(tool)):
        yield Fact(hidden, "tool", hidden.pointer, tool.name)


def _shown(contract: ServerContract) -> JsonObject:
    """What a server says beside its tools, with the pointers that findings use."""
    return {
        "serverInfo": contract.info,
        "instructions": contract.instructions,
        "prompts": {
            name: {
                "title": prompt.title,
                "description": prompt.description,
                "arguments": {argument.name: {"description": argument.description} for argument in prompt.arguments},
                **prompt.extra,
            }
            for name, prompt in contract.prompts.items()
        },
        "resources": {uri: resource.fields for uri, resource in contract.resources.items()},
        "resourceTemplates": {uri: template.fields for uri, template in contract.resource_templates.items()},
    }
