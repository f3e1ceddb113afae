"""A failure as a message to a language model: raise it or return it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

from fusion_contracts.runtime.codes import SEVERITIES, Code, Severity
from fusion_contracts.runtime.envelope import Envelope, clean, render, spell_number

__all__ = ["Scalar", "ToolFault", "tool_error"]

Scalar = str | int | float | bool | None
"""What a detail may be. Nested values are refused: models imitate them."""

_EXACT = 2**53  # above it an integer is kept as a float, so that the text that is printed reads back as the same number

FaultType = TypeVar("FaultType", bound="ToolFault")


class ToolFault(Exception):  # noqa: N818 - a warning is no error; the name is the design's
    """An envelope that is also an exception: immutable, equal by value, hashable, picklable.

    `str()` of it is the XML, so that a framework which shows a raised exception's text shows the envelope. A builder
    (`error(...)`) is a ToolFault too; `.fault` of either is a plain one.
    """

    _envelope: Envelope

    def __init__(  # noqa: PLR0913 - one parameter a section of the envelope
        self,
        code: Code,
        message: str,
        *,
        suggestion: str | None = None,
        available_actions: Iterable[str] = (),
        details: Mapping[str, Scalar] | None = None,
        retry_after: float | None = None,
        severity: Severity = "error",
    ) -> None:
        """As `tool_error`."""
        super().__init__(code, message)
        self._envelope = Envelope(
            code=checked_text(code, "code"),
            message=checked_text(message, "message"),
            severity=checked_severity(severity),
            recovery=None if suggestion is None else checked_text(suggestion, "suggestion") or None,
            available_actions=checked_actions(available_actions),
            details=tuple(checked_details(details or {}).items()),
            retry_after=checked_seconds(retry_after),
        )

    @property
    def code(self) -> str:
        """The canonical code, or one of your own."""
        return self._envelope.code

    @property
    def message(self) -> str:
        """What failed, in one sentence."""
        return self._envelope.message

    @property
    def severity(self) -> Severity:
        """`error`, `critical` or `warning`."""
        return self._envelope.severity  # type: ignore[return-value]  # the constructor takes no other

    @property
    def recovery(self) -> str | None:
        """What to do next: the suggestion. None where there is none."""
        return self._envelope.recovery

    @property
    def available_actions(self) -> tuple[str, ...]:
        """The actions that can be called instead."""
        return self._envelope.available_actions

    @property
    def details(self) -> Mapping[str, str]:
        """Facts by name, as the model reads them. Read-only, in order."""
        return MappingProxyType(dict(self._envelope.details))

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait. None where nothing is said."""
        return self._envelope.retry_after

    @property
    def is_error(self) -> bool:
        """Whether the call failed: a warning travels on the success path."""
        return self._envelope.severity != "warning"

    @property
    def fault(self) -> ToolFault:
        """This fault. Of a builder: the plain fault that it stands for."""
        return self

    def to_xml(self, *, compact: bool = False) -> str:
        """The envelope: indented by two, or `compact` as the TypeScript original prints it."""
        return render(self._envelope, compact=compact)

    def __str__(self) -> str:
        return self.to_xml()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r}, severity={self._envelope.severity!r})"

    def __eq__(self, other: object) -> bool:
        return self._envelope == other._envelope if isinstance(other, ToolFault) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._envelope)

    def __reduce__(self) -> tuple[object, ...]:
        own = {name: value for name, value in self.__dict__.items() if name != "_envelope"}  # notes, a subclass's own
        return restore, (type(self), self._envelope), own or None


def tool_error(  # noqa: PLR0913 - one parameter a section of the envelope
    code: Code,
    message: str,
    *,
    suggestion: str | None = None,
    available_actions: Iterable[str] = (),
    details: Mapping[str, Scalar] | None = None,
    retry_after: float | None = None,
    severity: Severity = "error",
) -> ToolFault:
    """A fault to raise or to return: the `<tool_error>` envelope.

    `suggestion` is the one next step (the `<recovery>`); empty means none. `details` are names with texts, numbers,
    booleans or None. `retry_after` is in seconds; zero or less means at once, and is left out. Text is cleaned: line
    ends become LF, and what XML forbids and Unicode tags are removed.

    Raises TypeError or ValueError on values of the wrong kind, naming the parameter.
    """
    return ToolFault(
        code,
        message,
        suggestion=suggestion,
        available_actions=available_actions,
        details=details,
        retry_after=retry_after,
        severity=severity,
    )


def restore(kind: type[FaultType], envelope: Envelope) -> FaultType:
    """A fault of that class with that content, as it is: for unpickling, builders and the parser."""
    fault = kind.__new__(kind, envelope.code, envelope.message)
    fault._envelope = envelope  # noqa: SLF001 - this is the other constructor
    return fault


def checked_text(value: object, name: str) -> str:
    """The cleaned text. Raises TypeError where it is none."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}")
    return clean(value)


def checked_severity(value: object) -> str:
    """One of the three severities. Raises ValueError."""
    if not isinstance(value, str) or value not in SEVERITIES:
        raise ValueError(f"severity must be one of {', '.join(SEVERITIES)}, not {value!r:.40}")
    return str.__str__(value)


def checked_actions(names: Iterable[str]) -> tuple[str, ...]:
    """The cleaned names, in order. Raises TypeError; one bare text is refused, as it would be split into letters."""
    if isinstance(names, str):
        raise TypeError(f"available_actions must be a list of names, not one text: write [{names!r:.40}]")
    if not isinstance(names, Iterable):
        raise TypeError(f"available_actions must be a list of names, not {type(names).__name__}")
    return tuple(checked_text(name, "an available action") for name in names)


def checked_details(details: Mapping[str, Scalar]) -> dict[str, str]:
    """Cleaned names and values as text. Raises TypeError on anything nested."""
    if not isinstance(details, Mapping):
        raise TypeError(f"details must be a mapping of names to values, not {type(details).__name__}")
    return {checked_text(key, "a detail's name"): _scalar_text(value) for key, value in details.items()}


def _scalar_text(value: object) -> str:
    if isinstance(value, str):
        return clean(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return spell_number(value)
    raise TypeError(f"a detail must be a text, a number, true, false or None, not {type(value).__name__}")


def checked_seconds(value: object) -> float | None:
    """Seconds above zero, whole ones as int; None for nothing to wait. Raises TypeError or ValueError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"retry_after must be a number of seconds, not {type(value).__name__}")
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise ValueError("retry_after must be a finite number of seconds")
    if seconds <= 0:
        return None
    return int(seconds) if seconds <= _EXACT and seconds.is_integer() else seconds
