"""What a stopped loop is told: what was tried, what each attempt was answered, and what to do now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fusion_contracts.loop.attempts import Attempt, Call, Record
from fusion_contracts.loop.rules import Refusal
from fusion_contracts.runtime.echo import clip, redacted
from fusion_contracts.runtime.fault import ToolFault, tool_error

__all__ = ["attempt_of", "stop"]

_LONGEST_MESSAGE = 200
_MOST_ACTIONS = 8
_MOST_VALUES = 1_000  # objects, lists and scalars of the arguments that are looked at
_MOST_FIELDS = 10
_MOST_READ = 1_000  # names of which they are the first
_TELLING = 12  # characters of a long value by which it is known where only a part of it is repeated


def stop(refused: Refusal, record: Record) -> ToolFault:
    """RETRY_LIMIT, critical: the answer in place of a call.

    `details` hold the `scope` that is stopped (`call`, `action` or `run`) and each attempt: names sent, code, message.
    """
    said = {"call": _of_call, "action": _of_action, "run": _of_run}[refused.scope]
    message, recovery = said(refused, record)
    if refused.scope == "run":
        last = list(record.streaks.items())[-_MOST_ACTIONS:]
        attempts = {f"last of {clip(action)}": _told(streak.attempts[-1]) for action, streak in last}
    else:
        attempts = {f"attempt {index}": _told(each) for index, each in enumerate(refused.attempts, 1)}
    details = {"scope": refused.scope, **attempts}
    return tool_error("RETRY_LIMIT", message, suggestion=recovery, details=details, severity="critical")


def attempt_of(call: Call, fault: ToolFault, failing: tuple[str, ...]) -> Attempt:
    """A failed call as it is remembered: what it said, without the values that were sent."""
    fields = tuple(sorted({clip(re.sub(r"\[\d+\]", "[]", name)) for name in failing[:_MOST_READ]}))[:_MOST_FIELDS]
    return Attempt(call.names, clip(fault.code), fields, _without_values(fault.message, call.arguments))


def _of_call(refused: Refusal, _: Record) -> tuple[str, str]:
    action, times = clip(refused.action), _times(refused.count)
    message = f"{action} was called {times} with these arguments and failed: {_last(refused)}."
    return message, (
        f"Do not call {action} with these arguments again in this run. "
        "Change them, go on without it or report what is missing."
    )


def _of_action(refused: Refusal, _: Record) -> tuple[str, str]:
    action = clip(refused.action)
    sent = ", ".join(_names(each) for each in refused.attempts)
    message = f"{action} failed {_times(refused.count)} with the same error: {_last(refused)}. Sent: {sent}."
    return message, f"Do not call {action} again in this run. Go on without it or report what is missing."


def _of_run(refused: Refusal, record: Record) -> tuple[str, str]:
    most = sorted(record.totals.items(), key=lambda pair: -pair[1])
    listed = ", ".join(f"{clip(action)} {count}" for action, count in most[:_MOST_ACTIONS])
    more = f" and {len(most) - _MOST_ACTIONS} more actions" if len(most) > _MOST_ACTIONS else ""
    failures = f"{refused.count} failed or refused calls"
    message = f"This run has used up its budget: {failures}" + (f" ({listed}{more})." if listed else ".")
    return message, "Call no more tools. Report what is done, what is missing and why."


def _last(refused: Refusal) -> str:
    if not refused.attempts:
        return "no answer is known"
    last = refused.attempts[-1]
    return f"{last.code} ({', '.join(last.fields)})" if last.fields else last.code


def _told(attempt: Attempt) -> str:
    return f"{_names(attempt)} {attempt.code}: {attempt.message}"


def _names(attempt: Attempt) -> str:
    return "{" + ", ".join(clip(name) for name in attempt.names) + "}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _without_values(message: str, arguments: Any) -> str:
    """A message with each value that was sent replaced by its argument's name, and secrets taken out."""
    text = redacted(message)
    values = _values(arguments)
    if values is None:
        return "(not kept: too much was sent to take it out)"
    for name, value in values:
        named = "{" + name.replace("\\", "/") + "}"  # a template, in which a backslash would mean something
        if len(value) <= len(text):  # a pattern of megabytes takes minutes to compile
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", named, text)
        part = text.find(value[:_TELLING]) if len(value) >= _TELLING else -1
        if part >= 0:
            text = f"{text[:part]}..."
    return clip(text, _LONGEST_MESSAGE)


def _values(arguments: Any) -> list[tuple[str, str]] | None:
    """The scalars that were sent, with the name of the argument in which each stands; the longest first.

    None where there are more than can be looked for, or the arguments hold themselves.
    """
    found: list[tuple[str, str]] = []
    stack = [(str(name), value) for name, value in arguments.items()] if isinstance(arguments, Mapping) else []
    for _ in range(_MOST_VALUES):
        if not stack:
            return sorted(found, key=lambda pair: -len(pair[1]))
        name, value = stack.pop()
        if isinstance(value, Mapping):
            stack += [(name, inner) for inner in value.values()]
        elif isinstance(value, list | tuple):
            stack += [(name, inner) for inner in value]
        elif isinstance(value, str) and value.strip():
            found.append((clip(name), value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.append((clip(name), str(value)))
    return None
