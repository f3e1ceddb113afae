"""Results of MCP with an envelope in them, for SDK 1 and 2: flagged, with the machine copy in `_meta`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from fusion_contracts.integrations.answers import WARNINGS_KEY, Answer
from fusion_contracts.integrations.framework import NOT_JUDGED, Handled, is_flagged
from fusion_contracts.model import JsonValue

__all__ = ["beside", "call_tool_result", "result_of", "structured_of", "text_block", "types"]


def types() -> Any:
    """The SDK's module of the protocol's types: a package of its own from its second major."""
    if "mcp_types" in sys.modules:
        return sys.modules["mcp_types"]
    try:
        import mcp_types
    except ImportError:
        from mcp import types as mcp_types
    return mcp_types


def text_block(text: str) -> Any:
    """A block of text."""
    return types().TextContent(type="text", text=text)


def call_tool_result(answer: Answer) -> Any:
    """The result that an answer is. It has no structured content: a client would read that in place of the text."""
    content = [{"type": "text", "text": answer.text}]
    return types().CallToolResult.model_validate({"content": content, "isError": answer.is_error, "_meta": answer.meta})


def beside(result: Any, warnings: Sequence[Answer]) -> Any:
    """The result with warnings behind its content; its structured content stays as it is."""
    content = [*result.content, *(text_block(warning.text) for warning in warnings)]
    meta = {**(result.meta or {}), WARNINGS_KEY: [warning.record for warning in warnings]}
    if hasattr(result, "model_copy"):
        return result.model_copy(update={"content": content, "meta": meta})
    result.content, result.meta = content, meta  # FastMCP 2: a plain object, made for this call
    return result


def result_of(handled: Handled) -> Any:
    """What goes out for a handled call; a result without warnings is the very object that the server made."""
    if handled.answer is not None:
        return call_tool_result(handled.answer)
    return beside(_whole(handled.result), handled.warnings) if handled.warnings else handled.result


def structured_of(result: Any) -> JsonValue:
    """What of a result is held to the output schema: nothing of a failure, or of another kind of result."""
    if isinstance(result, tuple):
        return result[1]
    if not isinstance(result, types().CallToolResult):
        return None if isinstance(result, list) else NOT_JUDGED
    if is_flagged(result):
        return NOT_JUDGED
    return result.structured_content if hasattr(result, "structured_content") else result.structuredContent


def _whole(result: Any) -> Any:
    """A result of SDK 1, which may be its parts alone, as the low-level server would make it."""
    kind = types().CallToolResult
    if isinstance(result, tuple):
        return kind(content=list(result[0]), structuredContent=result[1])
    return result if isinstance(result, kind) else kind(content=list(result))
