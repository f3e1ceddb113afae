"""What is wrong with a call, and what the model is told of it: judged by the tools as they are listed."""

from __future__ import annotations

from fusion_contracts.integrations.answers import Answer, of_fault, of_report
from fusion_contracts.integrations.framework import Framework, in_chain
from fusion_contracts.integrations.live import Live
from fusion_contracts.integrations.options import Options, ToolCall
from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.guard import to_fault
from fusion_contracts.runtime.missing_tool import unknown_action
from fusion_contracts.runtime.validation import ValidationReport, explain_validation

__all__ = ["Judge"]


class Judge:
    """Answers to calls that fail, for one server or agent: each from the call and a listing."""

    def __init__(self, options: Options, framework: Framework) -> None:
        self._options = options
        self._framework = framework

    def suspects(self, call: ToolCall, live: Live) -> bool:
        """Whether the tools must be looked at before the call is let through."""
        if live.tool(call.tool) is None:
            return self._framework.lists_all
        options = self._options
        if options.unknown == "auto":
            wrong = live.sends_gone(call)
        else:
            wrong = options.unknown != "ignore" and live.sends_unknown(call)
        checks = options.coerce or not self._framework.judges
        return wrong or (checks and not live.accepts(call.tool, call.arguments))

    def checked(self, call: ToolCall, live: Live) -> tuple[Answer | None, JsonValue]:
        """The answer to a call that must not run, or a warning about it; and the arguments with which it may run."""
        if live.tool(call.tool) is None:
            return (self.unknown(call, live) if self._framework.lists_all else None), call.arguments
        if not self.suspects(call, live):
            return None, call.arguments
        report = self._report(call, live, None)
        options = self._options
        if options.coerce and report.suggested_arguments is not None:
            return None, report.suggested_arguments
        if not report:
            return None, call.arguments
        by_name = options.unknown == "reject" or (options.unknown == "auto" and live.sends_gone(call))
        if report.warning or by_name or not self._framework.judges:
            return of_report(report, options), call.arguments
        return None, call.arguments  # the framework may take what the schema does not, "5" for 5

    def refused(self, call: ToolCall, live: Live, error: BaseException | None = None) -> Answer | None:
        """The answer to arguments that a validator refused; None where the schema finds nothing wrong with them."""
        report = self._report(call, live, error)
        return of_report(report, self._options) if report.is_error else None

    def unknown(self, call: ToolCall, live: Live) -> Answer:
        """The answer to a call of a tool that is not there."""
        return of_fault(unknown_action(call.tool, live.contract, live.awareness), self._options)

    def failed(self, error: BaseException) -> Answer:
        """The answer to what a tool raised: its fault, or INTERNAL_ERROR with the cause logged.

        Raises the exception itself where it is no failure (see `to_fault`).
        """
        raised = in_chain(error, ToolFault)
        if raised is not None:
            return of_fault(raised, self._options, cause=raised.__cause__)
        fault = to_fault(error)
        return of_fault(fault, self._options, cause=fault.__cause__)

    def _report(self, call: ToolCall, live: Live, error: BaseException | None) -> ValidationReport:
        tool = live.tool(call.tool)
        schema = None if tool is None else tool.input_schema
        return explain_validation(
            schema if error is None else error,
            call.arguments,
            action=call.tool,
            awareness=live.awareness,
            unknown=self._options.unknown,
            schema=schema,
            formats=error is not None,
            redact=self._options.redact,
        )
