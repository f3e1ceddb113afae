"""Failures that come without an envelope, told by what is fixed about them: a JSON-RPC code, an HTTP status, a phrase.

Sources: JSON-RPC 2.0 section 5.1; the MCP specification (-32002 resource not found, -32042 URL elicitation required);
what the MCP SDKs send for a request that timed out (408, -32001) and a connection that closed (-32000); RFC 9110
section 15 and RFC 6585 for HTTP; the texts of the frameworks as they print them.
"""

from __future__ import annotations

import re

from fusion_contracts.loop.retrying import advised
from fusion_contracts.runtime.fault import ToolFault, tool_error

__all__ = ["UNREACHABLE", "fields_in", "of_http", "of_jsonrpc", "recognised"]

UNREACHABLE = "HANDOFF_UPSTREAM_UNAVAILABLE"

_READ = 2_000  # characters of a text that are looked at
_LONGEST = 400  # of a message that a server wrote

_JSONRPC = {
    -32700: "VALIDATION_ERROR",
    -32600: "VALIDATION_ERROR",
    -32601: "UNKNOWN_ACTION",
    -32602: "VALIDATION_ERROR",
    -32603: "INTERNAL_ERROR",
    -32002: "NOT_FOUND",
    -32042: "AUTH_REQUIRED",
    -32001: "TIMEOUT",
    -32000: UNREACHABLE,
    408: "TIMEOUT",
}
_HTTP = {
    400: "VALIDATION_ERROR",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    408: "TIMEOUT",
    409: "CONFLICT",
    410: "NOT_FOUND",
    422: "VALIDATION_ERROR",
    429: "RATE_LIMITED",
    502: UNREACHABLE,
    503: "SERVER_BUSY",
    504: "TIMEOUT",
}

# In this order: an unknown tool is "not found" as well.
_PHRASES = tuple(
    (code, re.compile(phrase, re.IGNORECASE | re.MULTILINE))
    for code, phrase in (
        ("UNKNOWN_ACTION", r"\A(?:\W*Error[^:\n]{0,80}:\s*)?(?:Unknown|No such) tool\b|\ATool \S+ not found"),
        ("VALIDATION_ERROR", r"\b\d+ validation errors? for |^Input validation error|^Invalid arguments for "),
        ("RATE_LIMITED", r"\brate.?limit(?:ed)?\b|\btoo many requests\b"),
        ("TIMEOUT", r"\btimed out\b|\btimeout (?:exceeded|expired|error)\b|\bdeadline exceeded\b"),
        ("NOT_FOUND", r"\bnot found\b|\bno such file\b|\bdoes not exist\b"),
    )
)
_FIELD = re.compile(r"^(\w[\w.\[\]-]{0,119})\n {2}\S", re.MULTILINE)  # pydantic's: a place, below it the reason


def recognised(fault: ToolFault) -> ToolFault:
    """A failure without a code under the code that its text stands for; the same fault where that says nothing."""
    code = _said_in(fault.message)
    return fault if code is None else tool_error(code, fault.message, retry_after=fault.retry_after)


def _said_in(text: str) -> str | None:
    """The code that a text stands for."""
    return next((code for code, phrase in _PHRASES if phrase.search(text[:_READ])), None)


def fields_in(text: str) -> tuple[str, ...]:
    """The arguments that a framework's own refusal names."""
    return tuple(dict.fromkeys(_FIELD.findall(text[:_READ])))


def of_jsonrpc(code: int, message: str) -> ToolFault:
    """A JSON-RPC error as a fault. An unknown tool comes as invalid parameters too."""
    text = message[:_LONGEST] or "The server refused the call and said nothing."
    known = _JSONRPC.get(code, "UNKNOWN")
    if known in ("VALIDATION_ERROR", "UNKNOWN"):
        known = _said_in(text) or known
    return advised(known, text)


def of_http(status: int, retry_after: float | None) -> ToolFault:
    """What an HTTP status says of the service behind a tool. Nothing of its body is repeated."""
    code = _HTTP.get(status, "INTERNAL_ERROR")
    return advised(code, f"The service behind the tool answered {status}.", retry_after=retry_after)
