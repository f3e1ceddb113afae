"""The last line of a command: the exit code, and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fusion_contracts.canonical import printable
from fusion_contracts.errors import Problem
from fusion_contracts.report.counts import count

__all__ = ["ending", "not_checked"]

_FOUND = {"breaking": "breaking findings", "risky": "risky or breaking findings", "any": "findings"}

_NOTHING = {
    "any": "no findings",
    "never": "findings do not count (fail-on is never)",
    "own": "nothing at or above the fail-on of its server",
}


def ending(  # noqa: PLR0913 - what a run ends with
    code: int,
    fail_on: str,
    *,
    found: bool = False,
    whence: str = "",
    faults: Sequence[str] = (),
    unchecked: Sequence[Problem] = (),
) -> str:
    """`exit 1: breaking findings; 1 server not checked`.

    `found`: findings at or above `fail_on`, which is `own` where each server has its own; `whence`: where that is from;
    `faults`: what else is wrong, such as a stale lock; `unchecked`: what could not be checked.
    """
    reasons = [f"{_FOUND[fail_on]} ({whence})" if whence else _FOUND[fail_on]] if found else []
    reasons += faults
    rest = printable(not_checked(unchecked))
    if code == 2:  # noqa: PLR2004 - could not check
        return f"exit 2: could not check: {rest}"
    if code == 0:
        return f"exit 0: {_NOTHING.get(fail_on, f'nothing at or above {fail_on}')}"
    return f"exit {code}: {'; '.join([*reasons, rest] if rest else reasons)}"


def not_checked(problems: Collection[Problem]) -> str:
    """`1 server not checked`, or the one problem that concerns no server; "" for none."""
    servers = {problem.server for problem in problems if problem.server is not None}
    others = [problem.message for problem in problems if problem.server is None]
    parts = [f"{count(len(servers), 'server')} not checked"] if servers else []
    return "; ".join([*dict.fromkeys(others), *parts])
