"""pydantic-ai: toolsets, single tools, and an agent with all that is registered on it.

Tools are asked for in a run context without dependencies and with the framework's own model for tests: what a `prepare`
function makes of other dependencies is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.objects.kind import Toolset

__all__ = ["KINDS", "listed"]


async def _toolset(toolset: Any) -> Iterable[JsonValue]:
    found = await toolset.get_tools(_context())
    return [listed(tool.tool_def) for tool in found.values()]


async def _agent(agent: Any) -> Iterable[JsonValue]:
    return [tool for toolset in agent.toolsets for tool in await _toolset(toolset)]


async def _tool(tool: Any) -> Iterable[JsonValue]:
    from pydantic_ai.toolsets import FunctionToolset

    return await _toolset(FunctionToolset([tool]))


def _context() -> Any:
    from pydantic_ai import RunContext
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.usage import RunUsage

    return RunContext(deps=None, model=TestModel(), usage=RunUsage())


def listed(definition: Any) -> JsonObject:
    """A tool's definition as MCP would list it."""
    found: JsonObject = {"name": definition.name, "inputSchema": definition.parameters_json_schema}
    if definition.description:
        found["description"] = definition.description
    if getattr(definition, "include_return_schema", None) and definition.return_schema:
        found["outputSchema"] = definition.return_schema  # what the model is shown, and only then
    if definition.strict is True:
        found["strict"] = True
    return found


KINDS = (
    Toolset("a pydantic-ai toolset", ("pydantic_ai.AbstractToolset",), _toolset),
    Toolset("a pydantic-ai agent", ("pydantic_ai.AbstractAgent",), _agent),
    Toolset("a pydantic-ai tool", ("pydantic_ai.Tool",), _tool, one=True),
)
