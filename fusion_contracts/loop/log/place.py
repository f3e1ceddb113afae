"""From the name of a log to the sink that writes it."""

from __future__ import annotations

from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

from fusion_contracts.errors import FusionError
from fusion_contracts.loop.log.sinks import Sink

__all__ = ["DEFAULT", "Target", "sink_of"]

DEFAULT = ".fusion/log.sqlite"
"""The log of a program that names no other, below the working directory."""

Target: TypeAlias = str | PathLike[str] | Sink

_LINES = frozenset({".jsonl", ".ndjson"})
_POSTGRES = ("postgresql://", "postgres://")


def sink_of(target: Target) -> Sink:
    """The sink that a name stands for.

    `postgresql://...` is PostgreSQL, `otel` OpenTelemetry, a file that ends in `.jsonl` or `.ndjson` JSON lines, any
    other file SQLite. What is no name is a sink of one's own. Raises FusionError where a library is missing or the name
    is a URL of another kind.
    """
    if not isinstance(target, str | PathLike):
        return target
    name = fspath(target)
    if name.startswith(_POSTGRES):
        _require("psycopg", "a log in PostgreSQL needs", "postgres")
        from fusion_contracts.loop.log.sinks.postgres import PostgresSink

        return PostgresSink(name)
    if name == "otel":
        _require("opentelemetry", "OpenTelemetry events need", "otel")
        from fusion_contracts.loop.log.sinks.otel import OtelSink

        return OtelSink()
    if "://" in name:
        kind = name.partition("://")[0]
        raise FusionError(f"no log can be written to {kind}://", "name a file, postgresql:// or otel", stage="usage")
    if Path(name).suffix in _LINES:
        from fusion_contracts.loop.log.sinks.json_lines import JsonLinesSink

        return JsonLinesSink(Path(name))
    from fusion_contracts.loop.log.sinks.sqlite import SqliteSink

    return SqliteSink(Path(name))


def _require(module: str, what: str, extra: str) -> None:
    if find_spec(module) is None:
        message = f"{what} {module}, which is not installed"
        raise FusionError(message, f"pip install 'fusion-contracts[{extra}]'", stage="usage")
