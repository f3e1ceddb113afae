"""Errors as events of OpenTelemetry, on the trace that is current."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry._logs import LogRecord, SeverityNumber, get_logger

from fusion_contracts.loop.log.entry import Entry

__all__ = ["EVENT", "OtelSink"]

EVENT = "fusion.tool.error"
"""The name of the event."""

_NAMES = {
    "run": "fusion.run.id",
    "server": "fusion.server",
    "tool": "gen_ai.tool.name",
    "action": "fusion.action",
    "outcome": "fusion.outcome",
    "severity": "fusion.severity",
    "release": "fusion.release",
    "contract": "fusion.contract.digest",
    "deltas": "fusion.contract.deltas",
    "attempt": "fusion.attempt",
    "model_calls": "fusion.model_calls",
    "tokens": "fusion.tokens",
    "arguments": "fusion.arguments",
}


class OtelSink:
    """Emits an event for each call that has a code; who sends it on, and when, is for the program's own SDK to say.

    `error.type` and `fusion.error.code` are the code, as on spans; of a warning the second alone. Calls without an
    error are none: the SDKs have a span for each.
    """

    name = "otel"
    direct = True  # the trace is current in the thread of the call

    def write(self, entries: Sequence[Entry], /) -> None:
        """Emit the errors among the entries."""
        logger = get_logger("fusion_contracts")
        for entry in entries:
            if entry.code is not None:
                logger.emit(_event(entry, entry.code))

    def close(self) -> None:
        """Nothing stays open."""


def _event(entry: Entry, code: str) -> LogRecord:
    record = entry.record()
    attributes = {name: record[column] for column, name in _NAMES.items() if record.get(column) not in {None, ""}}
    attributes["fusion.error.code"] = code
    attributes["fusion.stopped"] = entry.stopped
    if entry.fields:
        attributes["fusion.fields"] = list(entry.fields)
    if entry.failed:
        attributes["error.type"] = code
    return LogRecord(
        timestamp=entry.time_us * 1_000,
        severity_number=SeverityNumber.ERROR if entry.failed else SeverityNumber.WARN,
        severity_text=(entry.severity or "error").upper(),
        body=f"{entry.action}: {code}",
        attributes=attributes,
        event_name=EVENT,
    )
