"""Runs of an agent that a script makes up: the calls as a log is told of them, and what a report must say of them.

The script decides how every loop goes and counts it there and then. Nothing is derived from the calls afterwards, so
that the queries are held to what was meant and not to a second copy of themselves.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fusion_contracts import tool_error
from fusion_contracts.loop.log import ErrorLog

ACTIONS = (("desk", "close"), ("desk", "tickets.search"), ("mail", "close"), ("mail", "send"))
CODES = ("NOT_FOUND", "TIMEOUT", "VALIDATION_ERROR")
ENDINGS = ("healed", "stopped", "open")


@dataclass
class Truth:
    """What is true of one action, counted while the script decides it."""

    calls: int = 0
    errors: int = 0
    partial: int = 0
    empty: int = 0
    refused: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    healed_codes: Counter[str] = field(default_factory=Counter)
    fields: Counter[str] = field(default_factory=Counter)
    told: list[int] = field(default_factory=lambda: [0, 0])
    untold: list[int] = field(default_factory=lambda: [0, 0])
    loops: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Script:
    """The calls of many runs, one after the other as they were made, and the truth by server and action."""

    calls: list[dict[str, Any]]
    truth: dict[tuple[str, str], Truth]
    runs: int


def scripted(runs: int, seed: int = 0, release: str = "1") -> Script:
    """Make up that many runs, each of several actions, interleaved."""
    draw = random.Random(seed)
    truth = {action: Truth() for action in ACTIONS}
    threads = []
    for number in range(runs):
        for server, action in draw.sample(ACTIONS, draw.randint(1, len(ACTIONS))):
            who = {"run": f"{release}-{number}", "server": server, "action": action, "release": release}
            threads.append(list(_thread(draw, truth[server, action], who)))
    calls = []
    while threads:
        thread = draw.choice(threads)
        calls.append(thread.pop(0))
        if not thread:
            threads.remove(thread)
    return Script(calls, {action: one for action, one in truth.items() if one.calls or one.refused}, runs)


def _thread(draw: random.Random, truth: Truth, who: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The calls of one action in one run: successes, and loops of which only the last may be left open."""
    yield from _success(draw, truth, who)
    for _ in range(draw.randint(0, 3)):
        yield from _loop(draw, truth, who, draw.choice(ENDINGS[:2]))
        if draw.random() < 0.5:
            yield from _success(draw, truth, who)
    if draw.random() < 0.3:
        yield from _loop(draw, truth, who, "open")


def _success(draw: random.Random, truth: Truth, who: dict[str, Any], **cost: Any) -> Iterator[dict[str, Any]]:
    outcome = draw.choice(("ok", "ok", "ok", "partial", "empty"))
    truth.calls += 1
    truth.partial += outcome == "partial"
    truth.empty += outcome == "empty"
    yield who | {"outcome": outcome} | cost


def _loop(draw: random.Random, truth: Truth, who: dict[str, Any], ending: str) -> Iterator[dict[str, Any]]:
    errors = draw.randint(1, 3)
    spent = [_cost(draw) for _ in range(errors + (ending != "open"))]
    known = all("tokens" in one for one in spent[1:] or spent)  # an error alone cost no more, if anybody counted
    loops = truth.loops.setdefault(ending, [0, 0, 0, 0])
    tokens = sum(one["tokens"] for one in spent[1:]) if known else 0
    for index, more in enumerate((1, sum(one.get("model_calls", 1) for one in spent[1:]), int(known), tokens)):
        loops[index] += more
    for index in range(errors):
        healed = ending == "healed" and index == errors - 1
        yield who | _failure(draw, truth, healed=healed) | spent[index]
    if ending == "healed":
        yield from _success(draw, truth, who, **spent[-1])
    if ending == "stopped":
        truth.refused += 1
        yield who | {"error": tool_error("RETRY_LIMIT", "enough", severity="critical")} | spent[-1]
        if draw.random() < 0.5:  # a model that does not listen
            truth.refused += 1
            yield who | {"error": tool_error("RETRY_LIMIT", "enough", severity="critical")}


def _failure(draw: random.Random, truth: Truth, *, healed: bool) -> dict[str, Any]:
    code, deltas = draw.choice(CODES), draw.choice((0, 0, 2))
    names = draw.sample(("id", "page[0].size", "page[7].size", "who"), draw.randint(1, 3))
    truth.calls += 1
    truth.errors += 1
    truth.codes[code] += 1
    truth.healed_codes[code] += healed
    about = truth.told if deltas else truth.untold
    about[0] += 1
    about[1] += healed
    found: dict[str, Any] = {"error": tool_error(code, "failed"), "deltas": deltas}
    if code == "VALIDATION_ERROR":
        found["fields"] = names
        truth.fields.update({name.replace("[0]", "[]").replace("[7]", "[]") for name in names})
    return found


def _cost(draw: random.Random) -> dict[str, int]:
    cost = {"tokens": draw.randint(50, 900)} if draw.random() < 0.9 else {}
    return cost | ({"model_calls": draw.randint(1, 3)} if draw.random() < 0.3 else {})


def tell(log: ErrorLog, calls: list[dict[str, Any]]) -> None:
    """Tell a log of the calls, and wait until it has them."""
    for call in calls:
        given = dict(call)
        log.record(given.pop("error", None), **given)
    assert log.flush(60)
