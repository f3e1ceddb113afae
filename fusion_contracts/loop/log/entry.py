"""What is kept of one call, and how it stands in a table or a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from fusion_contracts.loop.outcome import FAILED, OutcomeKind
from fusion_contracts.model import JsonObject

__all__ = ["COLUMNS", "OUTCOMES", "Entry"]

OUTCOMES: tuple[str, ...] = get_args(OutcomeKind)

COLUMNS: Mapping[str, str] = {
    "id": "BIGINT",
    "time_us": "BIGINT",
    "run": "TEXT",
    "server": "TEXT",
    "tool": "TEXT",
    "action": "TEXT",
    "outcome": "TEXT",
    "code": "TEXT",
    "severity": "TEXT",
    "fields": "TEXT",
    "release": "TEXT",
    "contract": "TEXT",
    "deltas": "BIGINT",
    "attempt": "BIGINT",
    "stopped": "BIGINT",
    "model_calls": "BIGINT",
    "tokens": "BIGINT",
    "arguments": "TEXT",
}
"""The columns of a log's table and their types, which SQLite, DuckDB and PostgreSQL know alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One call.

    `time_us` is in microseconds since 1970 in UTC, and grows from entry to entry of one process; `id` is a random
    number that tells entries of one moment apart. `fields` are the arguments that failed, the places of items left
    out (`items[].id`). `release` is the server's version, `contract` the digest of what it offers. `deltas` counts the
    changes that the error told the model of. `attempt` counts the failures of the action in the run since its last
    success, this one included; 0 for a success. `stopped`: a guard answered, the tool did not run. `model_calls` and
    `tokens` are what the model spent on making this call. `arguments` are their types and digests, or values.
    """

    id: int
    time_us: int
    run: str
    server: str
    tool: str
    action: str
    outcome: str = "ok"
    code: str | None = None
    severity: str | None = None
    fields: tuple[str, ...] = ()
    release: str | None = None
    contract: str | None = None
    deltas: int = 0
    attempt: int = 0
    stopped: bool = False
    model_calls: int | None = None
    tokens: int | None = None
    arguments: JsonObject | None = None

    @property
    def failed(self) -> bool:
        """Whether the call did not do what was asked."""
        return self.outcome in FAILED

    def row(self) -> tuple[Any, ...]:
        """The values of `COLUMNS`, in their order; lists and objects as JSON."""
        return tuple(self.record().get(name) for name in COLUMNS)

    def record(self) -> JsonObject:
        """The values that say something, by column."""
        found = {name: getattr(self, name) for name in COLUMNS}
        found["fields"] = _json(list(self.fields)) if self.fields else None
        found["arguments"] = None if self.arguments is None else _json(self.arguments)
        found["stopped"] = int(self.stopped)
        return {name: value for name, value in found.items() if value is not None}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
