"""The rules of a retry guard, as pure functions of what is remembered: may a call run, and what does its end change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fusion_contracts.loop.attempts import Attempt, Call, Record, Same, Streak
from fusion_contracts.loop.limits import Limits

__all__ = ["Refusal", "Scope", "asked", "exhausted", "failed", "left", "succeeded"]

Scope: TypeAlias = Literal["call", "action", "run"]

_KEPT = 5  # attempts that a summary can tell
_MOST_CALLS = 64  # distinct failed calls of one action that are remembered


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is not run: what is stopped, how many failures there were, and the last attempts."""

    scope: Scope
    action: str
    count: int
    attempts: tuple[Attempt, ...] = ()


def asked(record: Record, call: Call, now: float, limits: Limits) -> tuple[Record, Refusal | None]:
    """After a call asked to run: what is remembered then, and why it may not run; None where it may.

    A repeat of a failed call is noted before it runs, so that of many at once no more run than may. A refusal counts as
    a failure of the run, until there is no budget left. Where nothing changes the record is the same object.
    """
    spent = exhausted(record, limits)
    if spent is not None:
        return record, spent
    streak = record.streaks.get(call.action)
    if streak is not None and streak.count >= limits.in_a_row and now - streak.at < limits.window:
        return _refused(record), Refusal("action", call.action, streak.count, streak.attempts)
    same = _same(record, call, now, limits)
    if same is not None and _used_up(same, limits):
        return _refused(record), Refusal("call", call.action, same.failures + same.open, same.attempts)
    counted = record if limits.calls is None else replace(record, calls=record.calls + 1)
    return (counted if same is None else _noted(counted, call, replace(same, open=same.open + 1))), None


def exhausted(record: Record, limits: Limits) -> Refusal | None:
    """Why no call of the run may run any more; None while its budget lasts."""
    if record.failures < limits.failures and (limits.calls is None or record.calls < limits.calls):
        return None
    return Refusal("run", "", record.failures)


def left(record: Record, call: Call, now: float, limits: Limits) -> Record:
    """After a call ended without an outcome, because it was cancelled before it ran: its repeat is given back."""
    same = _same(record, call, now, limits)
    return record if same is None or not same.open else _noted(record, call, replace(same, open=same.open - 1))


def failed(  # noqa: PLR0913 - what is known of a failure
    record: Record, call: Call, attempt: Attempt, now: float, limits: Limits, *, permanent: bool, streak: bool = True
) -> Record:
    """After a call failed. `streak` is false for a result that did some of its work."""
    before = _same(record, call, now, limits) or Same(0, 0, 0, now, ())
    same = Same(
        before.failures + 1,
        before.permanent + 1 if permanent else 0,
        max(0, before.open - 1),
        now,
        (*before.attempts, attempt)[-_KEPT:],
    )
    changed = replace(
        _noted(record, call, same),
        failures=record.failures + 1,
        totals={**record.totals, call.action: record.totals.get(call.action, 0) + 1},
    )
    return _in_a_row(changed, call, attempt, now, limits) if streak else changed


def succeeded(record: Record, call: Call, *, read_only: bool, whole: bool = True) -> Record:
    """After a call succeeded: its action's streak is over, and its own failures are forgotten, if it did the whole.

    What was wrong for good may be right now, unless the call only read: a file that was not found may be there.
    So errors that a retry could not help count, from then on, as errors that it can.
    """
    streaks = {action: streak for action, streak in record.streaks.items() if action != call.action}
    same = {action: dict(held) for action, held in record.same.items()}
    if whole and call.action in same:
        same[call.action].pop(call.digest, None)
    if not read_only:
        same = {
            action: {key: replace(one, permanent=0) if one.permanent else one for key, one in held.items()}
            for action, held in same.items()
        }
    kept: Mapping[str, Mapping[str, Same]] = {action: held for action, held in same.items() if held}
    if len(streaks) == len(record.streaks) and kept == record.same:
        return record
    return replace(record, streaks=streaks, same=kept)


def _refused(record: Record) -> Record:
    return replace(record, failures=record.failures + 1)


def _used_up(same: Same, limits: Limits) -> bool:
    """Whether a call failed as often as it may. What is under way may fail as the last one did."""
    hopeless = same.permanent > 0 and same.permanent + same.open >= limits.permanent
    return hopeless or same.failures - same.permanent + same.open >= limits.transient


def _same(record: Record, call: Call, now: float, limits: Limits) -> Same | None:
    """What is remembered of this very call. Nothing is digested where no call of its action has failed."""
    held = record.same.get(call.action)
    same = held.get(call.digest) if held else None
    return same if same is not None and now - same.at < limits.window else None


def _noted(record: Record, call: Call, same: Same) -> Record:
    held = dict(record.same.get(call.action, {}))
    held.pop(call.digest, None)
    held[call.digest] = same  # the newest last
    while len(held) > _MOST_CALLS:
        del held[next(iter(held))]
    return replace(record, same={**record.same, call.action: held})


def _in_a_row(record: Record, call: Call, attempt: Attempt, now: float, limits: Limits) -> Record:
    before = record.streaks.get(call.action)
    alike = (
        before is not None
        and now - before.at < limits.window
        and (before.attempts[-1].code, before.attempts[-1].fields) == (attempt.code, attempt.fields)
    )
    count, attempts = (before.count, before.attempts) if before is not None and alike else (0, ())
    streak = Streak(count + 1, now, (*attempts, attempt)[-_KEPT:])
    return replace(record, streaks={**record.streaks, call.action: streak})
