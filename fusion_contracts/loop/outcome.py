"""What became of a call: one type for every result, whatever brought it.

The kinds are MCP's. A protocol error is a failure of the call itself: a JSON-RPC error, or a server that cannot be
reached. An execution error is a valid result that says that the operation failed (`isError`); refused arguments are one
too (SEP-1303). A partial result is a success that says what is missing. "Nothing found" is a complete result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fusion_contracts.loop.retrying import can_help
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.flags import field_of, flag_of, has_failed

if TYPE_CHECKING:
    from fusion_contracts.loop.partial_result import PartialResult

__all__ = ["FAILED", "Outcome", "OutcomeKind"]

OutcomeKind: TypeAlias = Literal["ok", "empty", "partial", "execution_error", "protocol_error"]
"""How a call ended: `ok`, `empty` (nothing found, which is complete) and `partial` are successes."""

FAILED = frozenset({"execution_error", "protocol_error"})
_RPC_FLOOR, _RPC_CEILING = -32768, -32000  # the codes that JSON-RPC 2.0 reserves


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one call.

    `fault` is the failure, or a warning beside a success; `failing` are the names of the arguments concerned; `partial`
    is what a partial or empty result says, None where it says no more than that. `result` is what was given.
    """

    kind: OutcomeKind
    fault: ToolFault | None = None
    failing: tuple[str, ...] = ()
    partial: PartialResult[Any] | None = None
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.kind in FAILED

    @property
    def code(self) -> str:
        """The failure's code; "" for a success."""
        return self.fault.code if self.is_error and self.fault is not None else ""

    @property
    def retryable(self) -> bool:
        """Whether the same call, made again, may succeed.

        No on NOT_FOUND and on refused arguments, yes on TIMEOUT, RATE_LIMITED and SERVER_BUSY. Of a partial result:
        whether any failed item may.
        """
        if self.partial is not None:
            return any(each.retryable for each in self.partial.failed)
        return self.is_error and self.fault is not None and can_help(self.fault)

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before that; None where nothing is said, or a retry cannot help."""
        if not self.retryable:
            return None
        if self.partial is not None:
            return self.partial.retry_after
        return self.fault.retry_after if self.fault is not None else None

    @classmethod
    def of(cls, given: Any) -> Outcome:
        """Tell the outcome from what a call brought.

        Takes an MCP result (a mapping, or an object of any SDK), a JSON-RPC response or error, an exception, a fault, a
        `ValidationReport`, a `PartialResult`, or any plain value: a text that is an envelope and nothing else is what
        it says; None, an empty text and an empty container are `empty`. A failure without an envelope is UNKNOWN, or
        the code that its text stands for (`signs.py` lists the phrases).

        Raises what it was given where that is an exception but no failure: cancellation, exit, or a framework's way to
        steer a run. An exception of which nothing is known is logged once, as by `to_fault`.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, BaseException):
            return _of_exception(given)
        if hasattr(given, "to_structured") or hasattr(given, "failing"):
            return _of_ours(given)
        return _of_rpc(given) or _of_result(given) or _of_value(given)


def _of_exception(error: BaseException) -> Outcome:
    from fusion_contracts.loop.exceptions import told

    found = told(error)
    if not found.fault.is_error:
        return Outcome("ok", found.fault, result=error)
    return Outcome(found.kind, found.fault, found.failing, result=error)


def _of_ours(given: Any) -> Outcome:
    """A `PartialResult`, or a `ValidationReport` as `explain_validation` makes it."""
    if hasattr(given, "to_structured"):
        return _of_partial(given, given)
    if not given.failing:
        return Outcome("ok", result=given)
    fault = given.fault or _fault_in(given.to_xml())
    return Outcome("execution_error" if given.is_error else "ok", fault, tuple(given.failing), result=given)


def _of_rpc(given: Any) -> Outcome | None:
    """A JSON-RPC response that failed, the error in it, or the outcome of the result in it."""
    if isinstance(given, Mapping) and "jsonrpc" in given and "result" in given:
        return Outcome.of(given["result"])
    error = field_of(given, "error") if isinstance(given, Mapping) or hasattr(given, "jsonrpc") else None
    bare = error is None
    error = given if bare else error
    code, message = field_of(error, "code"), field_of(error, "message")
    if type(code) is not int or not isinstance(message, str):
        return None
    if bare and not _RPC_FLOOR <= code <= _RPC_CEILING:
        return None  # any value may have a code and a message
    from fusion_contracts.loop.exceptions import of_rpc

    found = of_rpc(code, message)
    return Outcome(found.kind, found.fault, found.failing, result=given)


def _of_result(given: Any) -> Outcome | None:
    """An MCP result, or a message that a framework makes of one. None where it is none."""
    content = field_of(given, "content")
    if not _is_result(given, content):
        return None
    from fusion_contracts.loop.exceptions import fields_of
    from fusion_contracts.loop.signs import fields_in, recognised
    from fusion_contracts.runtime.client import parse_tool_error

    fault = parse_tool_error(given)
    failed = has_failed(given)
    if fault is not None and (failed or fault.is_error):
        failing = fields_of(fault) or fields_in(fault.message)
        named = recognised(fault) if fault.code == "UNKNOWN" else fault
        return Outcome("execution_error", named, failing, result=given)
    data = field_of(given, "structuredContent") if isinstance(given, Mapping) else field_of(given, "structured_content")
    data = field_of(given, "structuredContent") if data is None and not isinstance(given, Mapping) else data
    found = _of_data(data, given) if data is not None else None
    found = found or _of_texts(content, given, alone=data is None)
    return found if fault is None else Outcome(found.kind, fault, partial=found.partial, result=given)


def _of_data(data: Any, given: Any) -> Outcome | None:
    from fusion_contracts.loop.partial_reading import from_structured

    partial = from_structured(data)
    if partial is not None:
        return _of_partial(partial, given)
    inner = data["result"] if isinstance(data, Mapping) and set(data) == {"result"} else data
    return Outcome("empty", result=given) if _is_nothing(inner) else None


def _of_texts(content: Any, given: Any, *, alone: bool) -> Outcome:
    """By the text alone, where nothing structured came along, a result may be empty."""
    from fusion_contracts.loop.partial_reading import from_text

    blocks = [content] if isinstance(content, str) else content if isinstance(content, list | tuple) else []
    texts = [block if isinstance(block, str) else field_of(block, "text") for block in blocks]
    for text in texts:
        partial = from_text(text) if isinstance(text, str) else None
        if partial is not None:
            return _of_partial(partial, given)
    if alone and all(isinstance(text, str) and _is_nothing(text) for text in texts):
        return Outcome("empty", result=given)
    return Outcome("ok", result=given)


def _of_partial(partial: PartialResult[Any], given: Any) -> Outcome:
    kinds: dict[str, OutcomeKind] = {"complete": "ok", "partial": "partial", "empty": "empty"}
    return Outcome(kinds[partial.status], partial=partial, result=given)


def _of_value(given: Any) -> Outcome:
    if not isinstance(given, str):
        data = _of_data(given, given)
        return data if data is not None else Outcome("ok", result=given)
    from fusion_contracts.loop.exceptions import fields_of
    from fusion_contracts.runtime.client import parse_tool_error

    fault = parse_tool_error([given])  # as a block: an envelope counts where it is all that the text holds
    if fault is not None:
        return Outcome("execution_error" if fault.is_error else "ok", fault, fields_of(fault), result=given)
    return _of_texts([given], given, alone=True)


def _is_result(given: Any, content: Any) -> bool:
    if isinstance(given, str | bytes) or content is None:
        return False
    if not isinstance(given, Mapping):
        return isinstance(content, list | tuple) or hasattr(given, "status") or flag_of(given) is not None
    if not isinstance(content, list):
        return isinstance(content, str) and bool({"isError", "is_error"} & set(given))
    return all(isinstance(field_of(block, "type"), str) for block in content)


def _fault_in(text: str) -> ToolFault | None:
    from fusion_contracts.runtime.client import parse_tool_error

    return parse_tool_error(text)


def _is_nothing(value: Any) -> bool:
    """None, no text, no item; also as the JSON that a framework writes of it."""
    if isinstance(value, str):
        return value.strip() in ("", "null", "[]", "{}", '""')
    return value is None or (isinstance(value, Mapping | list | tuple | set | frozenset) and not value)
