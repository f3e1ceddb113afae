"""LangGraph: `tool_node(tools)` in place of `ToolNode(tools)`; or its parts, handed to a `ToolNode` of one's own.

The framework answers a refused call with its validator's text, lets unknown arguments pass, and lets what a tool raises
end the graph. The wrapper sees every call, also of a tool that is not there; the handler alone is for nodes that have a
wrapper of their own, and sees failures only.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.integrations.answers import Answer
from fusion_contracts.integrations.finding import find
from fusion_contracts.integrations.framework import Handled
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.integrations.views import Missing, Refused, Views, copies, live_of
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.client import parse_tool_error
from fusion_contracts.sources.formats import mcp_tools
from fusion_contracts.sources.objects.langchain import described

if TYPE_CHECKING:
    from langgraph.prebuilt import ToolNode
    from langgraph.prebuilt.tool_node import ToolCallRequest

__all__ = ["Fusion", "tool_node"]

_log = logging.getLogger("fusion_contracts.integrations")


def tool_node(
    tools: Sequence[Any],
    options: Options | None = None,
    *,
    name: str = "tools",
    near: Path | None = None,
    **settings: Any,
) -> ToolNode:
    """A `ToolNode` whose errors heal, with its own `settings`.

    `name` is the node's, and the NAME of the tools in their releases; `near` the folder where these are looked for
    first, by default that of the file that makes the node. Raises FusionError where the options are strict and there is
    no release.
    """
    from langgraph.prebuilt import ToolNode

    here = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
    fusion = Fusion(tools, options, name=name, near=here)
    return ToolNode(
        tools,
        name=name,
        **settings,
        handle_tool_errors=False,  # what fails reaches the wrapper
        wrap_tool_call=fusion.wrap_tool_call,
        awrap_tool_call=fusion.awrap_tool_call,
    )


class Fusion:
    """The parts of a `ToolNode`: both wrappers with `handle_tool_errors=False`, or the handler alone."""

    def __init__(
        self,
        tools: Iterable[Any] = (),
        options: Options | None = None,
        *,
        name: str = "tools",
        near: Path | None = None,
    ) -> None:
        """`tools` are those of the node: the framework tells a handler nothing of them. The rest as in `tool_node`."""
        self._given = list(tools)
        here = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
        options = options or Options()
        self._views = Views(options, find(options, name, here), listed=_listed, own=_steers, cause=_cause)

    def handle_tool_errors(self, error: Exception) -> str:
        """What the model reads of a failure."""
        name = getattr(error, "tool_name", "")
        tool = next((one for one in self._given if getattr(one, "name", None) == name), None)
        handler = self._views.handler(self._given)
        call = ToolCall(name, getattr(error, "tool_kwargs", {}))
        refusal = _refusal(error, tool)
        answer = handler.judge.refused(call, live_of(handler), refusal) if refusal is not None else None
        answer = answer or handler.judge.failed(_cause(error))
        handler.told(call, answer.ending)
        return answer.text

    def wrap_tool_call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
        """Around a call of a graph that runs synchronously."""

        def proceed(arguments: JsonValue) -> Any:
            with _refusals(request):
                return _result(execute(_with(request, arguments)))

        handler, call = self._met(request)
        return _message(handler.around_sync(call, proceed), request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Around a call of a graph that runs asynchronously."""

        async def proceed(arguments: JsonValue) -> Any:
            with _refusals(request):
                return _result(await execute(_with(request, arguments)))

        handler, call = self._met(request)
        return _message(await handler.around(call, proceed), request)

    def _met(self, request: ToolCallRequest) -> tuple[Handler, ToolCall]:
        """The handler for the node's tools, and the call."""
        tools = getattr(request.runtime, "tools", None) or self._given or [request.tool]
        config = getattr(request.runtime, "config", None) or {}
        run = config.get("run_id") or config.get("configurable", {}).get("thread_id") or ""
        call = ToolCall(request.tool_call["name"], request.tool_call["args"], run=str(run))
        return self._views.handler(tool for tool in tools if tool is not None), call


@contextmanager
def _refusals(request: ToolCallRequest) -> Iterator[None]:
    """What there is no tool for, and what a validator refused, told apart from what the tool's body raised."""
    if request.tool is None:
        raise Missing
    try:
        yield
    except Exception as error:
        refusal = _refusal(error, request.tool)
        if refusal is None:
            raise
        raise Refused from refusal


def _refusal(error: BaseException, tool: Any) -> BaseException | None:
    """The validator's error in a failure; None where there is none.

    The framework takes a validation error of the tool's body for one of the arguments: such a one is of another model,
    or about arguments that the framework filled in itself.
    """
    from langgraph.prebuilt.tool_node import ToolInvocationError

    if not isinstance(error, ToolInvocationError) or not error.filtered_errors:
        return None
    model = getattr(tool, "args_schema", None)
    if not isinstance(model, type):
        return error.source if tool is None else None
    title = getattr(model, "model_config", {}).get("title") or model.__name__
    return error.source if getattr(error.source, "title", title) == title else None


def _cause(error: BaseException) -> BaseException:
    """The tool's own exception in one that the framework made of it."""
    source = getattr(error, "source", None)
    return source if isinstance(source, BaseException) else error


def _steers(error: BaseException) -> bool:
    """Whether an exception is how the graph goes on: an interrupt, a command to its parent, an answer to neither."""
    from langgraph import errors

    is_invalid_resume = getattr(errors, "is_invalid_resume", None)  # not before 1.2
    return isinstance(error, errors.GraphBubbleUp) or (is_invalid_resume is not None and is_invalid_resume(error))


def _listed(tool: Any) -> Iterator[JsonObject]:
    yield from mcp_tools([described(tool)], tool.name)[0]


def _with(request: ToolCallRequest, arguments: JsonValue) -> ToolCallRequest:
    """The request, with other arguments where a repair made some."""
    call = request.tool_call
    return request if arguments is call["args"] else request.override(tool_call={**call, "args": arguments})


def _result(result: Any) -> Any:
    """The result; the fault, where a tool returned one and the framework made its text of it."""
    content = getattr(result, "content", None)
    if isinstance(content, str) and content.startswith("<tool_error"):
        fault = parse_tool_error(content)
        if fault is not None and content == fault.to_xml():
            return fault
    return result


def _message(handled: Handled, request: ToolCallRequest) -> Any:
    """What the graph goes on with: a message in place of the result, or the result itself."""
    from langchain_core.messages import ToolMessage

    answer = handled.answer
    if answer is not None:
        return ToolMessage(
            answer.text,
            name=request.tool_call["name"],
            tool_call_id=request.tool_call["id"],
            status="error" if answer.is_error else "success",
            additional_kwargs=answer.meta,
        )
    if not handled.warnings:
        return handled.result
    if not isinstance(handled.result, ToolMessage):  # a command: what it changes is its own affair
        for warning in handled.warnings:
            _log.warning("%s cannot be told beside a command: %s", warning.fault.code, warning.fault.message)
        return handled.result
    return _with_warnings(handled.result, handled.warnings)


def _with_warnings(message: Any, warnings: tuple[Answer, ...]) -> Any:
    """The message as it is, its artifact too, and a block of text for each warning after its content."""
    content = message.content if isinstance(message.content, list) else [{"type": "text", "text": message.content}]
    blocks = [*content, *({"type": "text", "text": warning.text} for warning in warnings)]
    kept = {**message.additional_kwargs, **copies(warnings)}
    return message.model_copy(update={"content": blocks, "additional_kwargs": kept})
