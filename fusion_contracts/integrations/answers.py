"""What the model is told in place of a result, or beside it: the text, and the copy for machines."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

from fusion_contracts.integrations.options import Ending, Options
from fusion_contracts.model import JsonObject
from fusion_contracts.runtime.fault import ToolFault, tool_error
from fusion_contracts.runtime.guard import CHECK_FIRST
from fusion_contracts.runtime.raising import fresh
from fusion_contracts.runtime.validation import ValidationReport

__all__ = ["META_KEY", "WARNINGS_KEY", "Answer", "of_fault", "of_guard", "of_report", "of_unfit_output", "raised"]

META_KEY = "io.github.fusion-contracts/error"
"""The name of the machine copy in a result's `_meta`: never in structured content, which clients hold to a schema."""
WARNINGS_KEY = "io.github.fusion-contracts/warnings"
"""The name of the list of machine copies of what stands beside a result."""

_log = logging.getLogger("fusion_contracts.integrations")
_BLOCK = "<contract_awareness"  # what a model or server wrote has no `<` in a text of ours
_ANSWER = "_fusion_answer"  # in a fault, the answer that it was raised for


@dataclass(frozen=True, slots=True)
class Answer:
    """One envelope, ready for a framework: `text` for the model, `meta` for a result's `_meta`.

    `in_vain` says that a warning came in place of a result that must be there, `refused` that a guard gave the answer
    in the tool's place (see `Ending`).
    """

    fault: ToolFault
    text: str
    record: JsonObject
    failing: tuple[str, ...] = ()
    deltas: int = 0
    cause: BaseException | None = None
    in_vain: bool = False
    refused: bool | None = None

    @property
    def is_error(self) -> bool:
        """Whether the result is flagged as failed. A warning is told on a success, where there can be one."""
        return self.fault.is_error or self.in_vain

    @property
    def meta(self) -> JsonObject:
        """The machine copy under its key."""
        return {META_KEY: self.record}

    @property
    def ending(self) -> Ending:
        """The same, for hooks."""
        return Ending(self.fault, self.failing, self.deltas, self.text, cause=self.cause, refused=self.refused)


def of_fault(fault: ToolFault, options: Options, *, cause: BaseException | None = None) -> Answer:
    """The answer that a fault is."""
    told: Answer | None = vars(fault).get(_ANSWER)
    if told is not None:
        return told
    plain = fault.fault
    return Answer(plain, plain.to_xml(compact=options.compact), _record(plain), cause=cause)


def of_guard(fault: ToolFault, options: Options) -> Answer:
    """The answer that a guard gives in the tool's place: nothing was sent or run."""
    return replace(of_fault(fault, options), refused=True)


def raised(answer: Answer) -> ToolFault:
    """The answer as an exception, for a tool that called another one by itself: let through, it is the answer again."""
    fault = fresh(answer.fault)
    vars(fault)[_ANSWER] = answer
    return fault


def of_report(report: ValidationReport, options: Options) -> Answer:
    """The answer to arguments that are refused, or (a warning) only remarked upon."""
    text = report.to_xml(compact=options.compact)
    told = report.awareness.shown(report.action, report.failing) if report.awareness and _BLOCK in text else ()
    fault = report.fault if report.fault is not None else _fault_of(report)
    record = _record(fault) | {"action": report.action, "fields": [_field(issue) for issue in report.issues]}
    if report.suggested_arguments is not None and "<suggested_arguments>" in text:
        record["suggested_arguments"] = report.suggested_arguments
    if told:
        record["deltas"] = [
            {"severity": delta.severity, "field": delta.field, "change": delta.text, "since": delta.since}
            for delta in told
        ]
    return Answer(fault, text, record, report.failing, len(told))


def of_unfit_output(tool: str, reason: BaseException | str, options: Options) -> Answer:
    """The answer where a tool's result violates the tool's own output schema: the reason is for the log alone."""
    cause = reason if isinstance(reason, BaseException) else None
    _log.error("The result of %s violates its output schema: %s", tool, reason, exc_info=cause)
    message = "The tool failed with an internal error (its result violates its own output schema)."
    fault = tool_error("INTERNAL_ERROR", message, suggestion=CHECK_FIRST, severity="critical")
    return of_fault(fault, options, cause=cause)


def _fault_of(report: ValidationReport) -> ToolFault:
    """A validation error in the form that hooks and records know."""
    names = ", ".join(dict.fromkeys(issue.name for issue in report.issues))
    return tool_error(
        "VALIDATION_ERROR",
        f"The arguments of {report.action} are not valid: {names}.",
        details={issue.name: issue.line() for issue in report.issues},
    )


def _field(issue: Any) -> JsonObject:
    said = {"name": issue.name, "problem": issue.problem, "sent": issue.sent, "expected": issue.expected}
    return {key: value for key, value in said.items() if value}


def _record(fault: ToolFault) -> JsonObject:
    record: JsonObject = {"code": fault.code, "severity": fault.severity, "message": fault.message}
    if fault.recovery is not None:
        record["recovery"] = fault.recovery
    if fault.available_actions:
        record["available_actions"] = list(fault.available_actions)
    if fault.details:
        record["details"] = dict(fault.details)
    if fault.retry_after is not None:
        record["retry_after"] = fault.retry_after
    return record
