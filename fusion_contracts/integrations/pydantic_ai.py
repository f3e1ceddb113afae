"""pydantic-ai: `Agent(model, capabilities=[Fusion()])`.

The framework hands a refused call back as its validator's errors, and ends the run when a tool's retries are spent, or
by whatever a tool raises. Here the model reads what heals the call; the last retry becomes a failure of the tool that
names every attempt; a call of a tool that is not there, and what a tool raises, are failures of that call alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipToolExecution,
    SkipToolValidation,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelRequest, ToolCallPart, ToolReturn, ToolReturnPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from fusion_contracts.integrations.answers import Answer
from fusion_contracts.integrations.arguments import decoded
from fusion_contracts.integrations.finding import find
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.last_retry import no_retry_left
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.integrations.views import Missing, Refused, Views, copies
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.objects.pydantic_ai import listed

__all__ = ["Fusion"]

_MISSING = "fusion_contracts.missing"  # in the definition that stands in for a tool that is not there


class _NoRetryLeft(Exception):  # noqa: N818 - no error: the framework's rule
    """A tool asked for a retry that the framework does not give: its text is what the tool said."""


# How the framework steers a run, and what it has made of a failure already.
_OWN = (
    ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution, SkipToolValidation, ToolFailed, ToolFailedError,
    ToolRetryError, _NoRetryLeft,
)  # fmt: skip


class Fusion(AbstractCapability[Any]):  # type: ignore[misc]  # the framework is there where this file is loaded
    """Errors that heal, for every tool of an agent."""

    def __init__(self, options: Options | None = None, *, name: str = "agent", near: Path | None = None) -> None:
        """`name` is the NAME of the tools in their releases; `near` the folder where these are looked for first.

        By default that is the folder of the file that makes the capability. Raises FusionError where the options are
        strict and there is no release.
        """
        self._options = options or Options()
        here = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
        known = find(self._options, name, here)
        self._views = Views(self._options, known, listed=_listed, own=_steers)

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        """Have a tool that is not there refused where the others are: the framework has no hook for it."""
        del request_context
        manager = ctx.tool_manager
        if manager is not None and manager.tools is not None:
            called = {part.tool_name for part in response.parts if isinstance(part, ToolCallPart)}
            manager.tools = manager.tools | {name: _stand_in(name) for name in called - manager.tools.keys()}
        return response

    async def wrap_tool_validate(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Refuse, or repair, or let through: the arguments of one call."""
        sent = decoded(args)
        tool_call = ToolCall(call.tool_name, sent, run=ctx.run_id or "")

        async def proceed(arguments: JsonValue) -> Any:
            if _is_missing(tool_def):
                raise Missing
            try:
                return await handler(args if arguments is sent else arguments)
            except ValidationError as error:
                raise Refused from error

        try:
            handled = await self._handler(ctx).around(tool_call, proceed, part="arguments")
        except ModelRetry as retry:  # of the tool's own validator
            if ctx.retry < ctx.max_retries:
                raise
            self._end(ctx, call, retry.message)
        if handled.answer is None:
            return handled.result
        if handled.answer.fault.code != "VALIDATION_ERROR":  # no such tool, or a guard's: no retry helps
            raise ToolFailed(handled.answer.text)
        if ctx.retry >= ctx.max_retries:
            self._end(ctx, call, handled.answer.text)
        raise ModelRetry(handled.answer.text)

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Turn what the tool raised, returned or remarked into what the model reads."""
        del tool_def

        async def proceed(_: JsonValue) -> Any:
            try:
                return await handler(args)
            except UnexpectedModelBehavior as end:
                if isinstance(end.__cause__, ModelRetry) and ctx.retry >= ctx.max_retries:
                    raise _NoRetryLeft(end.__cause__.message) from end
                raise

        tool_call = ToolCall(call.tool_name, decoded(call.args), run=ctx.run_id or "")
        try:
            handled = await self._handler(ctx).around(tool_call, proceed, part="tool")
        except _NoRetryLeft as end:
            self._end(ctx, call, str(end))
        if handled.answer is not None and handled.answer.is_error:
            raise ToolFailed(handled.answer.text)
        if handled.answer is not None:
            return handled.answer.text
        return _with_warnings(handled.result, handled.warnings) if handled.warnings else handled.result

    def _handler(self, ctx: Any) -> Handler:
        definitions = ctx.tool_manager.tool_defs if ctx.tool_manager is not None else ()
        return self._views.handler(one for one in definitions if one.kind != "output" and not _is_missing(one))

    def _end(self, ctx: Any, call: Any, last: str) -> NoReturn:
        """The framework would end the run now: the model is told of every attempt instead."""
        fault = no_retry_left(call.tool_name, [*_attempts(ctx, call.tool_name), last])
        raise ToolFailed(fault.to_xml(compact=self._options.compact))


def _steers(error: BaseException) -> bool:
    return isinstance(error, _OWN)


def _listed(definition: Any) -> Iterator[JsonObject]:
    yield listed(definition)


def _stand_in(name: str) -> ToolsetTool[Any]:
    """A tool for one step, which no model is shown: its call is refused before anything runs."""
    definition = ToolDefinition(name=name, metadata={_MISSING: True})
    takes_all = SchemaValidator(core_schema.any_schema())
    toolset = ExternalToolset([definition])
    return ToolsetTool(toolset=toolset, tool_def=definition, max_retries=0, args_validator=takes_all)


def _is_missing(definition: Any) -> bool:
    return bool(definition.metadata) and _MISSING in definition.metadata


def _attempts(ctx: Any, tool: str) -> list[str]:
    """What the calls of a tool were answered with in this run, since the last that succeeded."""
    found: list[str] = []
    for message in ctx.messages:
        if isinstance(message, ModelRequest) and message.run_id == ctx.run_id:
            for part in message.parts:
                if isinstance(part, ToolReturnPart) and part.tool_name == tool:
                    failed = part.outcome in {"retried", "failed"}
                    found = [*found, part.model_response_str(wrap_if_error=False)] if failed else []
    return found


def _with_warnings(result: Any, warnings: tuple[Answer, ...]) -> ToolReturn[Any]:
    """The result as it is, with the warnings beside it: as content for the model, as metadata for the program."""
    whole = result if isinstance(result, ToolReturn) else ToolReturn(result)
    content = [whole.content] if isinstance(whole.content, str) else list(whole.content or ())
    metadata = whole.metadata
    if metadata is None or isinstance(metadata, dict):
        metadata = {**(metadata or {}), **copies(warnings)}
    return replace(whole, content=[*content, *(warning.text for warning in warnings)], metadata=metadata)
