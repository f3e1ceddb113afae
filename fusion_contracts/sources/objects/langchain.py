"""LangChain: tools, and toolkits of them, as LangChain itself describes them to a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.sources.objects.kind import Toolset

__all__ = ["KINDS", "described"]


def described(tool: Any) -> JsonValue:
    """A tool in the form of OpenAI's chat completions."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    return convert_to_openai_tool(tool)


async def _tool(tool: Any) -> Iterable[JsonValue]:
    return [described(tool)]


async def _toolkit(toolkit: Any) -> Iterable[JsonValue]:
    return [listed for tool in toolkit.get_tools() for listed in await _tool(tool)]


KINDS = (
    Toolset("a LangChain tool", ("langchain_core.BaseTool",), _tool, one=True),
    Toolset("a LangChain toolkit", ("langchain_core.BaseToolkit",), _toolkit),
)
