"""OpenAI Agents: function tools, and an agent with the function tools that it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.sources.objects.kind import Toolset

__all__ = ["KINDS", "described"]


def described(tool: Any) -> JsonValue:
    """A function tool in the form of OpenAI's responses."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.params_json_schema,
        "strict": tool.strict_json_schema,
    }


async def _tool(tool: Any) -> Iterable[JsonValue]:
    return [described(tool)]


async def _agent(agent: Any) -> Iterable[JsonValue]:
    held = [tool for tool in agent.tools if hasattr(tool, "params_json_schema")]  # hosted tools have no contract here
    return [listed for tool in held for listed in await _tool(tool)]


KINDS = (
    Toolset("an OpenAI Agents tool", ("agents.FunctionTool",), _tool, one=True),
    Toolset("an OpenAI agent", ("agents.Agent",), _agent),
)
