"""The client's side: a failed result read back into the fault that it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fusion_contracts.runtime.codes import SEVERITIES
from fusion_contracts.runtime.envelope import Envelope, clean
from fusion_contracts.runtime.fault import ToolFault, checked_seconds, restore
from fusion_contracts.runtime.flags import field_of, has_failed
from fusion_contracts.runtime.xml_reader import Element, envelopes

__all__ = ["FusionClientError", "fault_of_text", "parse_tool_error", "texts_of"]

_SECONDS = re.compile(r"\s*([0-9][0-9.e+-]{0,400})\s*(?:s|seconds?)?\s*")
_MAX_MESSAGE = 4000  # characters of a failed result's text that is no envelope
_NO_CODE = "UNKNOWN"


class FusionClientError(Exception):
    """A tool's failure, with the fault's attributes and `raw`, the text or result that it was read from."""

    def __init__(self, fault: ToolFault, raw: Any = None) -> None:
        super().__init__(fault, raw)
        fault = fault.fault
        self.fault = fault
        self.raw = raw
        self.code = fault.code
        self.message = fault.message
        self.recovery = fault.recovery
        self.available_actions = fault.available_actions
        self.severity = fault.severity
        self.details = fault.details
        self.retry_after = fault.retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        return FusionClientError, (self.fault, self.raw)


def parse_tool_error(text_or_result: Any, *, raise_on_error: bool = False) -> ToolFault | None:
    """The fault that a text or a tool's result holds; None where there is none.

    Takes a text, a result (a mapping or an object with `content`: a text, or blocks with `type` and `text`; flagged by
    `isError`, `is_error` or `status`), a list of blocks, or an exception whose text is meant. Reads `<tool_error>` and
    `<validation_error>` with text around them; of several, the first that is a failure. A validation error becomes
    VALIDATION_ERROR with its fields as details. A failed result without an envelope is UNKNOWN, its text the message;
    a result that is not flagged as failed counts only where an envelope is all that a block holds.

    With `raise_on_error`, a failure is raised as FusionClientError. Never raises on malformed input.
    """
    fault, failed = _read(text_or_result)
    if raise_on_error and fault is not None and (failed or fault.is_error):
        cause = text_or_result if isinstance(text_or_result, BaseException) else None
        raise FusionClientError(fault, text_or_result) from cause
    return fault


def fault_of_text(text: str) -> ToolFault:
    """The fault of a failure whose text holds no envelope: it says no code."""
    return ToolFault(_NO_CODE, text[:_MAX_MESSAGE] or "The tool failed and said nothing.")


def texts_of(given: Any) -> list[str]:
    """The texts in which `parse_tool_error` looks for an envelope."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, BaseException):
        return [str(given)]
    return list(_texts(given if isinstance(given, list | tuple) else field_of(given, "content")))


def _read(given: Any) -> tuple[ToolFault | None, bool]:
    """The fault, and whether the result is flagged as failed."""
    if isinstance(given, ToolFault):
        return given.fault, False
    if isinstance(given, str):
        return _chosen(fault for fault, _ in _faults(given)), False
    if isinstance(given, BaseException):
        return _chosen(fault for fault, _ in _faults(str(given))), False
    failed = has_failed(given)
    texts = texts_of(given)
    found = _chosen(fault for text in texts for fault, alone in _faults(text) if alone or failed)
    if found is None and failed:
        said = "\n".join(text for text in texts if text.strip())
        found = fault_of_text(said)
    return found, failed


def _texts(content: Any) -> Iterator[str]:
    """The texts of a result's content, block by block."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | tuple):
        for block in content:
            text = block if isinstance(block, str) else field_of(block, "text")
            if isinstance(text, str):
                yield text


def _chosen(faults: Iterable[ToolFault]) -> ToolFault | None:
    """The first failure, else the first warning."""
    first = None
    for fault in faults:
        if fault.is_error:
            return fault
        first = first or fault
    return first


def _faults(text: str) -> Iterator[tuple[ToolFault, bool]]:
    """Each envelope in the text as a fault, and whether the text is nothing else. An empty element is none."""
    for root, alone in envelopes(text):
        if root.attributes or root.children:
            envelope = _tool_error(root) if root.tag == "tool_error" else _validation_error(root)
            yield restore(ToolFault, envelope), alone


def _tool_error(root: Element) -> Envelope:
    severity = root.attributes.get("severity", "")
    return Envelope(
        code=clean(root.attributes.get("code", _NO_CODE)),
        message=_first(root, "message") or "",
        severity=severity if severity in SEVERITIES else "error",
        recovery=_first(root, "recovery"),
        available_actions=_actions(root),
        details=_pairs((item.attributes.get("key", ""), item.text) for item in _inside(root, "details", "detail")),
        retry_after=_seconds(_first(root, "retry_after")),
    )


def _validation_error(root: Element) -> Envelope:
    """Also the original's. What `<contract_awareness>` says stays where it is: it is no detail of this call."""
    fields = [(item.attributes.get("name", ""), item.text) for item in root.named("field")]
    suggested = _first(root, "suggested_arguments")
    if suggested is not None:
        fields.insert(0, ("suggested_arguments", suggested))  # first: a field of that name wins
    action = clean(root.attributes.get("action", ""))
    names = ", ".join(dict.fromkeys(name for name, _ in fields[suggested is not None :]))
    message = f"The arguments of {action} are not valid" if action else "The arguments are not valid"
    return Envelope(
        code="VALIDATION_ERROR",
        message=f"{message}: {clean(names)}." if names else f"{message}.",
        recovery=_first(root, "recovery"),
        available_actions=_actions(root),
        details=_pairs(fields),
    )


def _first(root: Element, tag: str) -> str | None:
    return next((clean(child.text) for child in root.named(tag)), None)


def _inside(root: Element, section: str, tag: str) -> Iterator[Element]:
    return (item for part in root.named(section) for item in part.named(tag))


def _actions(root: Element) -> tuple[str, ...]:
    """The listed actions; from a section without elements the comma list of older servers."""
    listed = tuple(clean(item.text) for item in _inside(root, "available_actions", "action"))
    if listed:
        return listed
    names = (name.strip() for name in (_first(root, "available_actions") or "").split(","))
    return tuple(name for name in names if name)


def _pairs(items: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Names with texts; the lines of a name that comes twice stand together."""
    found: dict[str, str] = {}
    for key, value in items:
        name, text = clean(key), clean(value)
        found[name] = f"{found[name]}\n{text}" if name in found else text
    return tuple(found.items())


def _seconds(text: str | None) -> float | None:
    found = _SECONDS.fullmatch(text or "")
    if found is None:
        return None
    try:
        return checked_seconds(float(found[1]))
    except ValueError:
        return None
