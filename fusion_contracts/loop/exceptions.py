"""What an exception says of a call: the fault for the model, and whether the call itself failed or the tool did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fusion_contracts.loop.retrying import advised
from fusion_contracts.loop.signs import UNREACHABLE, fields_in, of_http, of_jsonrpc, recognised
from fusion_contracts.runtime.client import fault_of_text, parse_tool_error
from fusion_contracts.runtime.fault import ToolFault
from fusion_contracts.runtime.guard import to_fault
from fusion_contracts.runtime.raising import passes

__all__ = ["Kind", "Told", "fields_of", "kind_of", "of_rpc", "told"]

Kind: TypeAlias = Literal["execution_error", "protocol_error"]
"""Whether the tool failed, or the call itself did."""

_CAUSES = 6  # exceptions of a chain that are looked at
_LONGEST = 400

# Classes whose text a tool's author, or a server, meant for the model.
_SPEAKING = frozenset({"ToolError", "ToolException", "NotFoundError", "ToolFailed"})
_FRAMEWORKS = frozenset({"fastmcp", "mcp", "langchain_core", "pydantic_ai"})
# A transport that is gone: of Python, anyio, httpx, httpx2, httpcore, websockets, aiohttp.
_GONE = frozenset(
    {
        "ConnectionError", "ClosedResourceError", "BrokenResourceError", "EndOfStream", "NetworkError",
        "RemoteProtocolError", "ConnectionClosed", "ClientConnectionError", "gaierror",
    }
)  # fmt: skip
_SLOW = frozenset({"TimeoutError", "TimeoutException", "Timeout", "ServerTimeoutError"})


@dataclass(frozen=True, slots=True)
class Told:
    """The fault, which kind of failure it is, and the arguments concerned."""

    fault: ToolFault
    kind: Kind = "execution_error"
    failing: tuple[str, ...] = ()


def told(error: BaseException) -> Told:
    """Read an exception, and those that caused it.

    Raises the exception itself where it is no failure: cancellation, exit, or a framework's way to steer a run.
    """
    error = _alone(error)
    if isinstance(error, ToolFault):
        return Told(error.fault, failing=fields_of(error.fault))
    if passes(error):
        raise error
    return _read(error) or Told(to_fault(error))


def kind_of(error: BaseException) -> Kind:
    """Which kind of failure an exception is; nothing is logged of one of which nothing is known."""
    found = _read(_alone(error))
    return "execution_error" if found is None else found.kind


def _alone(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _read(error: BaseException) -> Told | None:
    here: BaseException | None = error
    for _ in range(_CAUSES):
        found = None if here is None else _of_one(here)
        if found is not None or here is None:
            return found
        here = here.__cause__
    return None


def _of_one(error: BaseException) -> Told | None:
    if isinstance(error, ToolFault):
        return Told(error.fault, failing=fields_of(error.fault))
    rpc: Any = getattr(error, "error", None)
    if type(getattr(rpc, "code", None)) is int and isinstance(getattr(rpc, "message", None), str):
        return of_rpc(rpc.code, rpc.message)
    envelope = parse_tool_error(error)
    if envelope is not None and envelope.is_error:
        return Told(envelope, failing=fields_of(envelope))
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & _SLOW:
        return Told(advised("TIMEOUT", "The call took too long and was given up."))
    if names & _GONE:
        return Told(advised(UNREACHABLE, "The server cannot be reached."), "protocol_error")
    return _of_status(error) or _of_validator(error) or _of_framework(error, names)


def fields_of(fault: ToolFault) -> tuple[str, ...]:
    """The arguments that a validation error names: its details, less the call that it suggests."""
    if fault.code not in ("VALIDATION_ERROR", "MISSING_REQUIRED_FIELD"):
        return ()
    return tuple(name for name in fault.details if name != "suggested_arguments")


def of_rpc(code: int, message: str) -> Told:
    """A JSON-RPC error: the call itself failed."""
    envelope = parse_tool_error(message)
    fault = envelope if envelope is not None and envelope.is_error else of_jsonrpc(code, message)
    return Told(fault, "protocol_error", fields_in(message))


def _of_status(error: BaseException) -> Told | None:
    """An HTTP client's error: of httpx and requests the response has the status, of others the error itself."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "status_code", None)
    if type(status) is not int or not 400 <= status <= 599:  # noqa: PLR2004 - RFC 9110: what is an error
        return None
    return Told(of_http(status, _seconds(getattr(response, "headers", None))))


def _seconds(headers: Any) -> float | None:
    """The wait that a server asks for, where it is given in seconds (RFC 9110 section 10.2.3)."""
    said = headers.get("Retry-After") if hasattr(headers, "get") else None
    return int(said) if isinstance(said, str) and said.isdecimal() and len(said) <= 6 else None  # noqa: PLR2004


def _of_validator(error: BaseException) -> Told | None:
    """A validator's refusal. Its text repeats what was sent, so only the places are kept."""
    home = type(error).__module__.partition(".")[0]
    if type(error).__name__ != "ValidationError" or home not in {"pydantic", "pydantic_core", "jsonschema"}:
        return None
    if home == "jsonschema":
        places = [getattr(error, "absolute_path", ())]
    else:
        places = [detail["loc"] for detail in getattr(error, "errors", list)()]
    names = tuple(dict.fromkeys(".".join(map(str, place)) for place in places if place))
    shown = f": {', '.join(names[:10])}" if names else ""
    return Told(advised("VALIDATION_ERROR", f"The arguments are not valid{shown}."), failing=names)


def _of_framework(error: BaseException, names: set[str]) -> Told | None:
    """A framework's own error, whose text is what the model is shown."""
    homes = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    if not (names & _SPEAKING and homes & _FRAMEWORKS):
        return None
    text = str(error)
    return Told(recognised(fault_of_text(text[:_LONGEST])), failing=fields_in(text))
