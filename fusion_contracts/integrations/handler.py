"""The seam: what every integration does with a call, whatever its framework.

An integration has three things to say, and one to do:

- say how to list the tools as they are now, in MCP's own spelling (`{"name", "inputSchema", "outputSchema",
  "description"}`), what an exception of the framework means, and what of a result is structured: a `Framework`;
- make one `Handler(options, framework, known)` where the server or agent is set up (`finding.find` gives `known`);
- hand every call to `await handler.around(ToolCall(tool, arguments), proceed)`, or `around_sync`, where
  `proceed(arguments)` calls on as the framework would have, and turn the `Handled` that comes back into the
  framework's result:

      handled = await handler.around(ToolCall(name, arguments, run=session), proceed)
      if handled.answer is not None:              # in place of a result; a warning too (`answer.is_error` says)
          return failed_result(handled.answer.text, meta=handled.answer.meta)
      for warning in handled.warnings:            # beside the result, which keeps its structured content
          add_text(handled.result, warning.text, meta=warning.meta)
      return handled.result                       # the very object that `proceed` returned

`around` raises what is no failure of the tool: cancellation, exceptions by which the framework steers a run, and those
that the framework's author meant for the model (`"own"`). Where a framework has no place around a call, but one for
errors alone, its parts do: `handler.judge.refused`, `.unknown`, `.failed`, each `(call, ...) -> Answer`.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from fusion_contracts.integrations.answers import Answer, of_fault, of_guard, of_unfit_output
from fusion_contracts.integrations.beside import Collecting, UnfitOutputError
from fusion_contracts.integrations.driving import Steps, driven, driven_sync
from fusion_contracts.integrations.framework import NOT_JUDGED, Framework, Handled, Part, in_chain, is_flagged
from fusion_contracts.integrations.hooks import hooked, tell
from fusion_contracts.integrations.judge import Judge
from fusion_contracts.integrations.listings import Listings
from fusion_contracts.integrations.live import Live
from fusion_contracts.integrations.options import Ending, Options, ToolCall
from fusion_contracts.integrations.telemetry import record
from fusion_contracts.loop.exceptions import kind_of
from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.client import fault_of_text, parse_tool_error
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.raising import passes
from fusion_contracts.runtime.releases import Known

__all__ = ["NOT_JUDGED", "Framework", "Handled", "Handler"]

_log = logging.getLogger("fusion_contracts.integrations")

_Tell: TypeAlias = Generator[Callable[[], Any], Any, None]


class Handler:
    """Errors that heal, for the tools of one server or agent. Safe for concurrent calls."""

    def __init__(self, options: Options, framework: Framework, known: Known) -> None:
        self.options = options
        self.framework = framework
        self.listings = Listings(options, framework, known)
        self.judge = Judge(options, framework)
        self._names_actions = options.hears_calls

    def around(
        self,
        call: ToolCall,
        proceed: Callable[[JsonValue], Awaitable[Any]],
        tools: Callable[[], Any] | None = None,
        part: Part = "whole",
    ) -> Coroutine[Any, Any, Handled]:
        """Handle, awaited, a call of an asynchronous framework, or a `part` of it; `proceed(arguments)` calls on.

        `tools` lists the tools of this one caller, where the framework needs the caller for it.
        """
        return driven(self._flow(call, proceed, tools or self.framework.tools, part))

    def around_sync(self, call: ToolCall, proceed: Callable[[JsonValue], Any]) -> Handled:
        """Handle a call of a synchronous framework; hooks and listing must be synchronous too."""
        return driven_sync(self._flow(call, proceed, self.framework.tools, "whole"))

    def told(self, call: ToolCall, ending: Ending) -> None:
        """Tell telemetry and sinks of an ending that is not a plain success."""
        record(ending)
        tell(self.options.on_error, call, ending)

    def _flow(
        self, call: ToolCall, proceed: Callable[[JsonValue], Any], tools: Callable[[], Any], part: Part
    ) -> Steps[Handled]:
        live = self.listings.standing(call.tool)
        if live is None:
            live = yield from self._listed(tools)
        action = live.awareness.action_of(call.tool, call.arguments)
        if self._names_actions or action != call.tool:
            call = replace(call, action=action)
        guard = self.options.guard
        if guard is not None and part != "tool":
            stop = yield from hooked(partial(guard.before, call))
            if stop is not None:
                return self._answered(call, of_guard(stop, self.options))
        try:
            handled = yield from self._run(call, live, proceed, tools, part)
        except GeneratorExit:
            raise
        except BaseException as error:
            yield from self._left(call) if passes(error) else self._ended(call, _by(error))
            raise
        if part == "arguments" and handled.answer is None:
            return handled  # the tool is still to come
        if handled.answer is None and not handled.warnings and is_flagged(handled.result):
            fault = parse_tool_error(handled.result)
            yield from self._ended(call, Ending(fault, text=fault.to_xml() if fault else "", result=handled.result))
        elif guard is not None or self.options.on_success:
            yield from self._heard(call, handled)
        return handled

    def _heard(self, call: ToolCall, handled: Handled) -> _Tell:
        """Tell the guard what became of a call, and the sinks of a plain success."""
        answer = handled.answer or next(iter(handled.warnings), None)
        ending = replace(Ending() if answer is None else answer.ending, result=handled.result)
        if answer is None:
            tell(self.options.on_success, call, ending)
        if self.options.guard is not None:
            yield from hooked(partial(self.options.guard.after, call, ending))

    def _ended(self, call: ToolCall, ending: Ending) -> _Tell:
        """Tell the hooks of a failure that the framework's own text tells the model."""
        self.told(call, ending)
        if self.options.guard is not None:
            yield from hooked(partial(self.options.guard.after, call, ending))

    def _left(self, call: ToolCall) -> _Tell:
        """Tell the guard of a call that ends without an outcome: it was cancelled, or the run goes on by it."""
        if self.options.guard is not None:
            yield from hooked(partial(self.options.guard.after, call, None))

    def _run(
        self, call: ToolCall, live: Live, proceed: Callable[[JsonValue], Any], tools: Callable[[], Any], part: Part
    ) -> Steps[Handled]:
        warned: tuple[Answer, ...] = ()
        arguments = call.arguments
        checks = part != "tool" or self.options.unknown == "warn"  # the rest was before
        if checks and self.judge.suspects(call, live):
            live = yield from self._listed(tools)
            answer, arguments = self.judge.checked(call, live)
            if answer is not None and answer.is_error:
                return self._answered(call, answer)
            warned = (answer,) if answer is not None else ()
        try:
            with Collecting() as told:
                result = yield partial(proceed, arguments)
        except Exception as error:  # noqa: BLE001 - this is the boundary
            return (yield from self._raised(call, error, tools))
        if isinstance(result, ToolFault):
            return self._answered(call, of_fault(result, self.options))
        if part == "arguments":
            return Handled(result)  # what there is to remark stands beside the tool's result
        structured = self.framework.structured(result)
        if structured is not NOT_JUDGED and live.misfit(call.tool, structured) is not None:
            misfit = (yield from self._listed(tools)).misfit(call.tool, structured)
            if misfit is not None:
                return self._answered(call, of_unfit_output(call.tool, misfit, self.options))
        if warned or told:
            warned = (*warned, *(of_fault(fault, self.options) for fault in told))
            for answer in warned:
                self.told(call, answer.ending)
        return Handled(result, warnings=warned)

    def _raised(self, call: ToolCall, error: Exception, tools: Callable[[], Any]) -> Steps[Handled]:
        unfit = in_chain(error, UnfitOutputError)
        kind = "output" if unfit is not None else self.framework.failed(error)
        if kind == "own" and in_chain(error, ToolFault) is None:
            raise error
        live = yield from self._listed(tools)
        answer: Answer | None = None
        if kind == "unknown" and live.tool(call.tool) is not None:
            raise error  # it is there, and not for this call: what that means the framework says
        if kind == "unknown":
            answer = self.judge.unknown(call, live)
        elif kind == "arguments":
            answer = self.judge.refused(call, live, error)
        elif kind == "output":
            answer = of_unfit_output(call.tool, (unfit.__cause__ if unfit else None) or error, self.options)
        if answer is None:
            answer = self.judge.failed(self.framework.cause(error))
            tool = live.tool(call.tool)
            if not answer.is_error and tool is not None and tool.output_schema is not None:
                answer = replace(answer, in_vain=True)  # a success would have to hold what the schema asks for
        return self._answered(call, answer)

    def _listed(self, listing: Callable[[], Any]) -> Steps[Live]:
        """The tools as they are now; as they were where they cannot be listed: an answer must not fail by it."""
        try:
            tools = yield listing
            return self.listings.take(tools)
        except Exception:  # noqa: BLE001 - of the server's making; it is logged
            if self.listings.last is None:
                _log.exception("The tools cannot be listed: errors are not explained")
                return self.listings.take(())
            return self.listings.last

    def _answered(self, call: ToolCall, answer: Answer) -> Handled:
        self.told(call, answer.ending)
        return Handled(answer=answer)


def _by(error: BaseException) -> Ending:
    """The end of a call by an exception that the framework tells in its own words."""
    return Ending(fault_of_text(str(error)), text=str(error), cause=error, kind=kind_of(error))
