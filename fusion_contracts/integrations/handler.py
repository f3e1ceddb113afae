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
errors alone, the parts do: `handler.refused`, `handler.unknown`, `handler.failed`, each `(call, ...) -> Answer`.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Generator, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from fusion_contracts.integrations.answers import Answer, of_fault, of_report, of_unfit_output
from fusion_contracts.integrations.beside import UnfitOutputError, collecting
from fusion_contracts.integrations.framework import (
    NOT_JUDGED,
    Framework,
    Handled,
    Part,
    fault_of_text,
    in_chain,
    is_flagged,
)  # fmt: skip
from fusion_contracts.integrations.hooks import hooked, tell
from fusion_contracts.integrations.live import Live
from fusion_contracts.integrations.options import Options, Outcome, ToolCall
from fusion_contracts.integrations.telemetry import record
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.client import parse_tool_error
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.guard import to_fault
from fusion_contracts.runtime.missing_tool import unknown_action
from fusion_contracts.runtime.raising import passes
from fusion_contracts.runtime.releases import Known
from fusion_contracts.runtime.validation import ValidationReport, explain_validation

__all__ = ["NOT_JUDGED", "Framework", "Handled", "Handler"]

_LISTINGS = 8  # tools may differ by session; more than so many views are made anew
_log = logging.getLogger("fusion_contracts.integrations")

Flow: TypeAlias = Generator[Callable[[], Any], Any, "Handled"]


class Handler:
    """Errors that heal, for the tools of one server or agent. Safe for concurrent calls."""

    def __init__(self, options: Options, framework: Framework, known: Known) -> None:
        self.options = options
        self.framework = framework
        self.known = known
        self._live: Live | None = None
        self._is_stale = False
        self._listings: dict[str, Live] = {}

    async def around(
        self,
        call: ToolCall,
        proceed: Callable[[JsonValue], Awaitable[Any]],
        tools: Callable[[], Any] | None = None,
        part: Part = "whole",
    ) -> Handled:
        """Handle a call of an asynchronous framework, or a `part` of it; `proceed(arguments)` calls on.

        `tools` lists the tools of this one caller, where the framework needs the caller for it.
        """
        flow = self._flow(call, proceed, tools or self.framework.tools, part)
        step = next(flow)
        try:
            while True:
                try:
                    value = step()
                    if inspect.isawaitable(value):
                        value = await value
                except Exception as error:  # noqa: BLE001 - the flow decides what it means
                    step = flow.throw(error)
                else:
                    step = flow.send(value)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            flow.close()

    def around_sync(
        self, call: ToolCall, proceed: Callable[[JsonValue], Any], tools: Callable[[], Any] | None = None
    ) -> Handled:
        """Handle a call of a synchronous framework; hooks and listing must be synchronous too."""
        flow = self._flow(call, proceed, tools or self.framework.tools, "whole")
        step = next(flow)
        try:
            while True:
                try:
                    value = step()
                except Exception as error:  # noqa: BLE001 - the flow decides what it means
                    step = flow.throw(error)
                else:
                    step = flow.send(value)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            flow.close()

    def live(self, tools: Iterable[JsonObject]) -> Live:
        """The listing with what changed, made once for equal listings."""
        listed = list(tools)
        key = json.dumps(listed, sort_keys=True, default=repr)
        found = self._listings.get(key)
        if found is None:
            found = Live.of(listed, self.known, cap=self.options.cap, hints=self.framework.hints)
            if len(self._listings) >= _LISTINGS:
                self._listings.pop(next(iter(self._listings)), None)
            self._listings[key] = found
        self._live = found
        self._is_stale = False
        return found

    def forget(self) -> None:
        """Somebody is listed the tools anew: the next call is held to what they are now."""
        self._is_stale = True

    def refused(self, call: ToolCall, live: Live, error: BaseException | None = None) -> Answer | None:
        """The answer to arguments that a validator refused; None where the schema finds nothing wrong with them."""
        report = self._report(call, live, error)
        return of_report(report, self.options) if report.is_error else None

    def unknown(self, call: ToolCall, live: Live) -> Answer:
        """The answer to a call of a tool that is not there."""
        return of_fault(unknown_action(call.tool, live.contract, live.awareness), self.options)

    def failed(self, error: BaseException) -> Answer:
        """The answer to what a tool raised: its fault, or INTERNAL_ERROR with the cause logged.

        Raises the exception itself where it is no failure (see `to_fault`).
        """
        raised = in_chain(error, ToolFault)
        if raised is not None:
            return of_fault(raised, self.options, cause=raised.__cause__)
        fault = to_fault(error)
        return of_fault(fault, self.options, cause=fault.__cause__)

    def told(self, call: ToolCall, outcome: Outcome) -> None:
        """Tell telemetry and sinks of an outcome that is not a plain success."""
        record(outcome)
        tell(self.options.on_error, call, outcome)

    def _flow(self, call: ToolCall, proceed: Callable[[JsonValue], Any], tools: Callable[[], Any], part: Part) -> Flow:
        known = None if self._is_stale else self._live
        live = known if known is not None else (yield from self._listed(tools))
        call = replace(call, action=live.awareness.action_of(call.tool, call.arguments))
        guard = self.options.guard
        if guard is not None and part != "tool":
            stop = yield from hooked(partial(guard.before, call))
            if stop is not None:
                return self._answered(call, of_fault(stop, self.options))
        try:
            handled = yield from self._run(call, live, proceed, tools, part)
        except Exception as error:
            if not passes(error):
                yield from self._ended(call, Outcome(fault_of_text(str(error)), text=str(error), cause=error))
            raise
        if part == "arguments" and handled.answer is None:
            return handled  # the tool is still to come
        if handled.answer is None and not handled.warnings and is_flagged(handled.result):
            fault = parse_tool_error(handled.result)
            yield from self._ended(call, Outcome(fault, text=fault.to_xml() if fault else "", result=handled.result))
        else:
            yield from self._heard(call, handled)
        return handled

    def _heard(self, call: ToolCall, handled: Handled) -> Generator[Callable[[], Any], Any, None]:
        """Tell the guard what became of a call, and the sinks of a plain success."""
        guard, successes = self.options.guard, self.options.on_success
        answer = handled.answer or next(iter(handled.warnings), None)
        if guard is None and (not successes or answer is not None):
            return
        outcome = replace(Outcome() if answer is None else answer.outcome, result=handled.result)
        if answer is None:
            tell(successes, call, outcome)
        if guard is not None:
            yield from hooked(partial(guard.after, call, outcome))

    def _ended(self, call: ToolCall, outcome: Outcome) -> Generator[Callable[[], Any], Any, None]:
        """Tell the hooks of a failure that the framework's own text tells the model."""
        self.told(call, outcome)
        if self.options.guard is not None:
            yield from hooked(partial(self.options.guard.after, call, outcome))

    def _run(
        self, call: ToolCall, live: Live, proceed: Callable[[JsonValue], Any], tools: Callable[[], Any], part: Part
    ) -> Flow:
        warned: tuple[Answer, ...] = ()
        arguments = call.arguments
        if (part != "tool" or self.options.unknown == "warn") and self._suspicious(call, live):  # the rest was before
            live = yield from self._listed(tools)
            answer, arguments = self._checked(call, live)
            if answer is not None and answer.is_error:
                return self._answered(call, answer)
            warned = (answer,) if answer is not None else ()
        try:
            with collecting() as told:
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
                self.told(call, answer.outcome)
        return Handled(result, warnings=warned)

    def _raised(self, call: ToolCall, error: Exception, tools: Callable[[], Any]) -> Flow:
        unfit = in_chain(error, UnfitOutputError)
        kind = "output" if unfit is not None else self.framework.failed(error)
        if kind == "own" and in_chain(error, ToolFault) is None:
            raise error
        live = yield from self._listed(tools)
        answer: Answer | None = None
        if kind == "unknown" and live.tool(call.tool) is not None:
            raise error  # it is there, and not for this call: what that means the framework says
        if kind == "unknown":
            answer = self.unknown(call, live)
        elif kind == "arguments":
            answer = self.refused(call, live, error)
        elif kind == "output":
            answer = of_unfit_output(call.tool, (unfit.__cause__ if unfit else None) or error, self.options)
        if answer is None:
            answer = self.failed(self.framework.cause(error))
            tool = live.tool(call.tool)
            if not answer.is_error and tool is not None and tool.output_schema is not None:
                answer = replace(answer, in_vain=True)  # a success would have to hold what the schema asks for
        return self._answered(call, answer)

    def _suspicious(self, call: ToolCall, live: Live) -> bool:
        """Whether the tools must be looked at before the call is let through."""
        if live.tool(call.tool) is None:
            return self.framework.lists_all
        options = self.options
        if options.unknown == "auto":
            wrong = live.sends_gone(call)
        else:
            wrong = options.unknown != "ignore" and live.sends_unknown(call)
        checks = options.coerce or not self.framework.judges
        return wrong or (checks and not live.accepts(call.tool, call.arguments))

    def _checked(self, call: ToolCall, live: Live) -> tuple[Answer | None, JsonValue]:
        """The answer to a call that must not run, or a warning about it; and the arguments with which it may run."""
        if live.tool(call.tool) is None:
            return (self.unknown(call, live) if self.framework.lists_all else None), call.arguments
        if not self._suspicious(call, live):
            return None, call.arguments
        report = self._report(call, live, None)
        if self.options.coerce and report.suggested_arguments is not None:
            return None, report.suggested_arguments
        if not report:
            return None, call.arguments
        by_name = self.options.unknown == "reject" or (self.options.unknown == "auto" and live.sends_gone(call))
        if report.warning or by_name or not self.framework.judges:
            return of_report(report, self.options), call.arguments
        return None, call.arguments  # the framework may take what the schema does not, "5" for 5

    def _report(self, call: ToolCall, live: Live, error: BaseException | None) -> ValidationReport:
        tool = live.tool(call.tool)
        schema = None if tool is None else tool.input_schema
        return explain_validation(
            schema if error is None else error,
            call.arguments,
            action=call.tool,
            awareness=live.awareness,
            unknown=self.options.unknown,
            schema=schema,
            formats=error is not None,
            redact=self.options.redact,
        )

    def _listed(self, listing: Callable[[], Any]) -> Generator[Callable[[], Any], Any, Live]:
        """The tools as they are now; as they were where they cannot be listed: an answer must not fail by it."""
        try:
            tools = yield listing
            return self.live(tools)
        except Exception:  # noqa: BLE001 - of the server's making; it is logged
            if self._live is None:
                _log.exception("The tools cannot be listed: errors are not explained")
                return self.live(())
            return self._live

    def _answered(self, call: ToolCall, answer: Answer) -> Handled:
        self.told(call, answer.outcome)
        return Handled(answer=answer)
