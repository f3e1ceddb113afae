"""OpenAI Agents: `Agent(tools=fusion.tools)`, and `Runner.run(agent, ..., run_config=fusion.run_config())`.

The framework hides every failure behind one fixed sentence, and keeps the validator's error from its own hooks; a call
of a tool that is not there ends the run. The run configuration heals what fails, of every tool that has no
`failure_error_function` of its own. `fusion.tools`, or one tool as `fusion.heal(tool)` makes it, are watched before
they run as well: arguments that changed, repairs, warnings beside a result.
"""

from __future__ import annotations

import copy
import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.integrations.answers import Answer
from fusion_contracts.integrations.arguments import decoded
from fusion_contracts.integrations.finding import find
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.integrations.views import Refused, Views, copies, live_of
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.formats import mcp_tools
from fusion_contracts.sources.objects.openai_agents import described

if TYPE_CHECKING:
    from agents import FunctionTool, RunConfig
    from agents.run_config import ToolErrorFormatterArgs
    from agents.tool import FunctionToolCustomDataContext
    from agents.tool_context import ToolContext

__all__ = ["Fusion"]

_BAD_ARGUMENTS = "Invalid JSON input for tool"  # so the framework's own error begins, whatever was wrong with them
_MOST_KEPT = 1_000  # machine copies of calls that run at the same time
_PARTS = {"text", "image", "file"}  # the types of a structured output


class Fusion:
    """Errors that heal, for the tools of an agent."""

    def __init__(
        self,
        tools: Iterable[Any] = (),
        options: Options | None = None,
        *,
        name: str = "agent",
        near: Path | None = None,
    ) -> None:
        """`tools` are those of the agent: what a call of a missing tool is offered instead is among them.

        `name` is the NAME of the tools in their releases; `near` the folder where these are looked for first, by
        default that of the file that makes this. Raises FusionError where the options are strict and there is no
        release.
        """
        self._given = list(tools)
        here = near or Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
        options = options or Options()
        self._views = Views(options, find(options, name, here), listed=_listed)

    @cached_property
    def tools(self) -> list[Any]:
        """The given tools, healed; what is no function tool is as it was."""
        return [self.heal(tool) if _is_function(tool) else tool for tool in self._given]

    def run_config(self, base: RunConfig | None = None) -> RunConfig:
        """A run configuration, or `base` with this added: a formatter of its own is asked where ours has no answer."""
        from agents import RunConfig

        kept = base if base is not None else RunConfig()

        async def formatter(failure: ToolErrorFormatterArgs[Any]) -> str | None:
            answer = self._answer(failure)
            if answer is not None or kept.tool_error_formatter is None:
                return None if answer is None else answer.text
            said = kept.tool_error_formatter(failure)
            theirs: str | None = await said if inspect.isawaitable(said) else said
            return theirs

        return replace(kept, tool_error_formatter=formatter, tool_not_found_behavior="return_error_to_model")

    def heal(self, tool: FunctionTool) -> FunctionTool:
        """The same tool, with its calls watched. A `failure_error_function` of its own is not asked any more."""
        from agents.tool import set_function_tool_failure_error_function, with_function_tool_failure_error_handler

        inner = set_function_tool_failure_error_function(copy.copy(tool), None)  # it raises what failed
        records: dict[str, JsonObject] = {}  # machine copies, from a call's end to its output item

        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            sent = decoded(arguments)

            async def proceed(wanted: JsonValue) -> Any:
                # What somebody approved is what runs, however well it might be repaired.
                same = wanted is sent or tool.needs_approval is not False
                try:
                    return await inner.on_invoke_tool(context, arguments if same else json.dumps(wanted))
                except Exception as error:
                    refusal = _refusal(error, tool, sent)
                    if refusal is None:
                        raise
                    raise Refused from refusal

            handler = self._handler(tool)
            handled = await handler.around(ToolCall(tool.name, sent, run=_run()), proceed)
            if handled.answer is not None:
                _keep(records, context.tool_call_id, handled.answer.meta)
                return handled.answer.text
            if not handled.warnings:
                return handled.result
            _keep(records, context.tool_call_id, copies(handled.warnings))
            return _with_warnings(handled.result, handled.warnings)

        async def extract(data: FunctionToolCustomDataContext) -> Any:
            theirs = tool.custom_data_extractor(data) if tool.custom_data_extractor is not None else None
            theirs = await theirs if inspect.isawaitable(theirs) else theirs
            return {**(theirs or {}), **records.pop(data.tool_context.tool_call_id, {})} or None

        # By this name the framework finds what a policy of approvals may look at.
        invoke.__agents_prepare_arguments__ = getattr(inner.on_invoke_tool, "prepare_arguments", None)  # type: ignore[attr-defined]
        healed = copy.copy(tool)
        healed.on_invoke_tool = with_function_tool_failure_error_handler(invoke, lambda *_: None)
        healed.custom_data_extractor = extract
        return copy.copy(healed)  # a copy binds what invokes it to itself

    def _handler(self, tool: Any, others: Iterable[Any] = ()) -> Handler:
        """The handler of the given tools, of `others` beside them, and of that one."""
        met = [one for one in (*others, tool, *self._given) if _is_function(one)]
        return self._views.handler({one.name: one for one in met}.values())

    def _answer(self, failure: ToolErrorFormatterArgs[Any]) -> Answer | None:
        """What the model reads of a failure that reached the run; None for what is none of ours."""
        context = failure.run_context
        if failure.tool_type != "function" or failure.kind == "approval_rejected":
            return None
        if failure.kind == "tool_not_found":
            handler, call = self._handler(None), ToolCall(failure.tool_name, run=_run())
            missing = bool(self._given) and live_of(handler).tool(failure.tool_name) is None
            return _told(handler, call, handler.judge.unknown(call, live_of(handler))) if missing else None
        held = getattr(getattr(context, "agent", None), "tools", ())
        tool = next((one for one in held if _is_function(one) and one.name == failure.tool_name), None)
        handler = self._handler(tool, held)
        sent = decoded(getattr(context, "tool_arguments", ""))
        call = ToolCall(failure.tool_name, sent, run=_run())
        refusal = _refusal(failure.error, tool, sent)
        refused = handler.judge.refused(call, live_of(handler), refusal) if refusal is not None else None
        return _told(handler, call, refused or handler.judge.failed(failure.error or RuntimeError()))


def _is_function(tool: Any) -> bool:
    return hasattr(tool, "params_json_schema")


def _listed(tool: Any) -> Iterator[JsonObject]:
    yield from mcp_tools([described(tool)], tool.name)[0]


def _run() -> str:
    """The trace that runs now, "" where there is none."""
    from agents.tracing import get_current_trace

    trace = get_current_trace()
    return "" if trace is None or trace.trace_id == "no-op" else trace.trace_id


def _refusal(error: BaseException | None, tool: Any, sent: JsonValue) -> BaseException | None:
    """The validator's error behind the framework's own, had by validating again; None where it is no such error.

    Without the function that the tool was made of, the framework's error: then the schema judges.
    """
    from agents.exceptions import ModelBehaviorError
    from agents.function_schema import function_schema
    from pydantic import ValidationError

    if not isinstance(error, ModelBehaviorError) or not str(error).startswith(_BAD_ARGUMENTS):
        return None
    function = getattr(tool, "__wrapped__", None)
    if function is not None and isinstance(sent, dict):
        try:
            function_schema(function, strict_json_schema=False).params_pydantic_model(**sent)
        except ValidationError as found:
            return found
    hidden: BaseException = error
    return hidden


def _keep(records: dict[str, JsonObject], call: str, record: JsonObject) -> None:
    """Keep a machine copy until its output item is made, which a cancelled run never does."""
    while len(records) >= _MOST_KEPT:
        records.pop(next(iter(records)))
    records[call] = record


def _told(handler: Handler, call: ToolCall, answer: Answer) -> Answer:
    handler.told(call, answer.ending)
    return answer


def _with_warnings(result: Any, warnings: Iterable[Answer]) -> list[Any]:
    """The result as it is, and a text for each warning after it."""
    from agents import ToolOutputText

    several = isinstance(result, (list, tuple)) and bool(result) and all(map(_is_part, result))
    parts = list(result) if several else [result if _is_part(result) else ToolOutputText(text=str(result))]
    return [*parts, *(ToolOutputText(text=warning.text) for warning in warnings)]


def _is_part(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return kind in _PARTS
