"""What an error says, whatever form it comes in: a fault, a report on arguments, a text, a result, an exception."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.loop.outcome import Outcome, OutcomeKind
from fusion_contracts.runtime.client import parse_tool_error, texts_of
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.validation import ValidationReport
from fusion_contracts.runtime.xml_reader import envelopes

__all__ = ["NO_CODE", "SUCCESS", "Said", "named", "of_error", "places"]

NO_CODE = "UNKNOWN"
"""The code of an error that has none."""

_INVALID = "VALIDATION_ERROR"
_NO_FIELD = "suggested_arguments"  # stands among the details of a validation error that was read back
_MOST = 20  # fields of one error
_READ = 1_000  # of which they are the first
_LONGEST = 200  # characters of a name
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Said:
    """How a call ended, the code and severity of its error, the arguments concerned, and how many changes it tells."""

    outcome: OutcomeKind = "execution_error"
    code: str | None = NO_CODE
    severity: str | None = "error"
    fields: tuple[str, ...] = ()
    deltas: int = 0


SUCCESS = Said("ok", None, None)


def of_error(error: Any) -> Said:
    """What the error says: its own words for a report and a fault, else what the loop tells of it.

    A text is what a failed result says. A result that is no error, and an outcome of the loop, say how the call ended.
    What is none of these has the code UNKNOWN.
    """
    if isinstance(error, ValidationReport):
        return _of_report(error)
    if isinstance(error, ToolFault):
        return _of_fault(error.fault)
    found = _outcome(error)
    if found.fault is not None:
        said = _of_fault(found.fault, _told(error.result if found is error else error), found.kind)
        return replace(said, fields=said.fields or places(found.failing))
    return replace(SUCCESS, outcome=found.kind) if _is_result(error, found) else Said()


def _outcome(error: Any) -> Outcome:
    """As the loop tells it: the same call has the same code, whoever tells the log of it."""
    if isinstance(error, str):
        fault = parse_tool_error(error)
        return Outcome.of({"content": error, "isError": True} if fault is None else fault)
    try:
        return Outcome.of(error)
    except BaseException as steering:
        if steering is not error:
            raise
        return Outcome("execution_error")  # cancellation, or a framework's way to steer a run


def _is_result(error: Any, found: Outcome) -> bool:
    """Whether a success was given, and no plain value: that was called an error, so it is one."""
    if found is error or found.result is not error or found.partial is not None:
        return True
    return (error.get("content") if isinstance(error, Mapping) else getattr(error, "content", None)) is not None


def _of_report(report: ValidationReport) -> Said:
    told = report.to_xml().count("<change ")
    if report.fault is not None:
        return _of_fault(report.fault, told)
    fields = places(issue.name for issue in report.issues)
    if report.is_error:
        return Said("execution_error", _INVALID, "error", fields, told)
    return Said("ok", _INVALID, "warning", fields, told)


def _of_fault(fault: ToolFault, told: int = 0, outcome: OutcomeKind | None = None) -> Said:
    about = (name for name in fault.details if name != _NO_FIELD) if fault.code == _INVALID else ()
    ended = outcome or ("execution_error" if fault.is_error else "ok")
    return Said(ended, named(fault.code) or NO_CODE, fault.severity, places(about), told)


def _told(error: Any) -> int:
    """How many changes the first envelope of a text, or of a result's texts, tells."""
    root = next((element for text in texts_of(error) for element, _ in envelopes(text)), None)
    blocks = root.named("contract_awareness") if root is not None else ()
    return sum(1 for block in blocks for _ in block.named("change"))


def places(names: Iterable[str]) -> tuple[str, ...]:
    """Names of arguments as a log holds them: sorted, each once, without the places of items."""
    found = {named(_INDEX.sub("[]", name[:_LONGEST])) for name in islice(names, _READ)}
    return tuple(sorted(found)[:_MOST])


@lru_cache(maxsize=4096)
def named(text: str) -> str:
    """A name as a log holds it: on one line, its hidden characters visible, not too long."""
    return printable(str(text)[:_LONGEST])
