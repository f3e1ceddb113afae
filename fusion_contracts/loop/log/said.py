"""What an error says, whatever form it comes in: a fault, a report on arguments, a text, a result, an exception."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.runtime.client import parse_tool_error, texts_of
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.guard import to_fault
from fusion_contracts.runtime.validation import ValidationReport
from fusion_contracts.runtime.xml_reader import envelopes

__all__ = ["NO_CODE", "Said", "named", "of_error", "places"]

NO_CODE = "UNKNOWN"
"""The code of an error that has none."""

_INVALID = "VALIDATION_ERROR"
_NO_FIELD = "suggested_arguments"  # stands among the details of a validation error that was read back
_MOST = 20  # fields of one error
_LONGEST = 200  # characters of a name
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Said:
    """The code and severity of an error, the arguments that it is about, and how many changes it tells."""

    code: str = NO_CODE
    severity: str = "error"
    fields: tuple[str, ...] = ()
    deltas: int = 0

    @property
    def is_error(self) -> bool:
        """Whether the call failed: a warning is told on a success."""
        return self.severity != "warning"


def of_error(error: Any) -> Said:
    """What the error says. What holds no envelope and is no exception has the code UNKNOWN."""
    if isinstance(error, ValidationReport):
        return _of_report(error)
    if isinstance(error, ToolFault):
        return _of_fault(error.fault)
    fault = parse_tool_error(error)
    if fault is not None:
        return _of_fault(fault, _told(error))
    return _of_exception(error) if isinstance(error, Exception) else Said()


def _of_exception(error: Exception) -> Said:
    """As the loop tells an exception: the same call has the same code, whoever tells the log of it."""
    from fusion_contracts.loop.exceptions import told

    try:
        found = told(error)
    except Exception:  # noqa: BLE001 - raised again where it is a framework's way to steer a run
        return _of_fault(to_fault(error))
    said = _of_fault(found.fault)
    return replace(said, fields=said.fields or places(found.failing))


def _of_report(report: ValidationReport) -> Said:
    told = report.to_xml().count("<change ")
    if report.fault is not None:
        return _of_fault(report.fault, told)
    severity = "error" if report.is_error else "warning"
    return Said(_INVALID, severity, places(issue.name for issue in report.issues), told)


def _of_fault(fault: ToolFault, told: int = 0) -> Said:
    about = (name for name in fault.details if name != _NO_FIELD) if fault.code == _INVALID else ()
    return Said(named(fault.code) or NO_CODE, fault.severity, places(about), told)


def _told(error: Any) -> int:
    """How many changes the first envelope of a text, or of a result's texts, tells."""
    root = next((element for text in texts_of(error) for element, _ in envelopes(text)), None)
    blocks = root.named("contract_awareness") if root is not None else ()
    return sum(1 for block in blocks for _ in block.named("change"))


def places(names: Iterable[str]) -> tuple[str, ...]:
    """Names of arguments as a log holds them: sorted, each once, without the places of items."""
    return tuple(sorted({named(_INDEX.sub("[]", name)) for name in names})[:_MOST])


@lru_cache(maxsize=4096)
def named(text: str) -> str:
    """A name as a log holds it: on one line, its hidden characters visible, not too long."""
    return printable(str(text)[:_LONGEST])
