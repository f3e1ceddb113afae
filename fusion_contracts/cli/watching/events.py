"""What is posted: one JSON object for each thing that happened, the same in a line, a file and a request.

`docs/schema/watch.schema.json` is its JSON Schema, strict; keys are never renamed or dropped within a `schema_version`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from fusion_contracts.canonical import printable
from fusion_contracts.diff import Finding, Level
from fusion_contracts.model import JsonObject
from fusion_contracts.report.escape import json_text, log_lines
from fusion_contracts.report.grouping import subject
from fusion_contracts.report.refusal import call

__all__ = ["SCHEMA_VERSION", "Because", "Kind", "event", "finding_of", "line", "told"]

SCHEMA_VERSION = 1

Kind: TypeAlias = Literal["finding", "resolved", "unchecked", "recovered"]
"""What an event is that is found; `dropped`, of which `backlog` tells, is about events."""
Because: TypeAlias = Literal["server", "lock", "waiver", "settings", "unwatched"]
"""Why a finding stands no more: by the server, by another lock, waiver or setting, or because nobody watches it."""

_WHY: dict[str, str] = {
    "server": "the server changed again",
    "lock": "the lock changed",
    "waiver": "it is waived",
    "settings": "the settings changed",
    "unwatched": "the server is not watched any more",
}
_FINDING = 9  # cells of the word that a line begins with


def event(  # noqa: PLR0913 - the keys of an event
    kind: Kind,
    *,
    identifier: str,
    time: str,
    lockfile: str,
    body: JsonObject,
    since: str | None = None,
    because: Because | None = None,
) -> JsonObject:
    """One event. `body` is a finding or an error, as the JSON report holds them; `since` is when it was first seen."""
    found: JsonObject = {"schema_version": SCHEMA_VERSION, "id": identifier, "event": kind, "time": time}
    found |= {"server": body["server"], "lockfile": lockfile}
    if since is not None:
        found["since"] = since
    if because is not None:
        found["because"] = because
    return {**found, "finding" if kind in {"finding", "resolved"} else "error": body}


def line(one: JsonObject) -> str:
    """The event as one line of ASCII, its end included."""
    return f"{json_text(json.dumps(one))}\n"


def finding_of(body: JsonObject) -> Finding:
    """The finding that the JSON report holds so."""
    fields: dict[str, Any] = {key: value for key, value in body.items() if key not in {"group", "fingerprint"}}
    return Finding(**{**fields, "level": Level[body["level"]], "has_witness": "witness" in body})


def told(one: JsonObject) -> str:
    """The event for people: a line, below it the call that fails, each with its end."""
    return "".join(f"{log_lines(text)}\n" for text in _lines(one))


def _lines(one: JsonObject) -> Iterator[str]:
    time = one["time"]
    match one["event"]:
        case "finding":
            found = finding_of(one["finding"])
            head = f"{found.level.name:<{_FINDING}}"
            yield f"{time}  {head} {_about(found)}: {printable(found.message)}  {found.fingerprint[:7]}"
            if found.has_witness:
                yield from (f"{'':<{len(time) + 4}}{label:<8}{text}" for label, text in call(found))
        case "resolved":
            found = finding_of(one["finding"])
            why = _WHY[one["because"]]
            head = f"{'RESOLVED':<{_FINDING}}"
            yield f"{time}  {head} {_about(found)}: {printable(found.message)}  {found.fingerprint[:7]} ({why})"
        case "unchecked" | "dropped" as kind:
            problem = one["error"]
            step = f"; {problem['next']}" if problem["next"] else ""
            yield f"{time}  {kind.upper():<{_FINDING}} {_where(one)}{printable(problem['message'] + step)}"
        case _:
            before = printable(one["error"]["message"])
            yield f"{time}  {'RECOVERED':<{_FINDING}} {_where(one)}checked again; before: {before}"


def _about(found: Finding) -> str:
    return printable(f"{found.server} {subject(found)}")


def _where(one: JsonObject) -> str:
    return "" if one["server"] is None else f"{printable(one['server'])}: "
