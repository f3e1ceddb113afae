"""A stubborn agent against servers that drift, time out, crash and do a part: every run ends, no effect doubles.

The agent learned one version of a server's catalog, another one answers. It repeats blindly, changes arguments at
random and ends a step only when it is told so; nothing but the guard stops it. A log is told of every turn, and the
report must say what the script knows that it did.
"""

from __future__ import annotations

import json
import logging
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from loop_truth import Answer, Tally, figures

from fusion_contracts import CallGuard, ServerContract, Tool, load, tool_error
from fusion_contracts.cli.app import run as fusion
from fusion_contracts.loop import (
    Ledger,
    Limits,
    MemoryStore,
    Outcome,
    PartialResult,
    RetryGuard,
    ToolCall,
    idempotent,
    no_effect,
    run_batch_sync,
)
from fusion_contracts.loop.log import ErrorLog

RUNS = 1_000
STEPS = 4
LIMITS = Limits(failures=20)
ITEMS = ("a", "b", "c")
SERVERS = 12
FAULTS = ("timeout before", "busy", "timeout after", "crash after", "gone")
ENDS = {  # the code of the call, and of the same call again where its key is not free
    "none": ("", ""),
    "timeout before": ("TIMEOUT", "TIMEOUT"),
    "busy": ("SERVER_BUSY", "SERVER_BUSY"),
    "timeout after": ("TIMEOUT", "OUTCOME_UNKNOWN"),
    "crash after": ("INTERNAL_ERROR", "OUTCOME_UNKNOWN"),
    "gone": ("NOT_FOUND", "NOT_FOUND"),
}

SAMPLES: dict[str, Any] = {
    "string": "text", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None,
}  # fmt: skip


def sample(schema: Any) -> Any:
    """A value that a schema may take: its first option, its default, or one of its type."""
    if not isinstance(schema, dict):
        return "text"
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        return {name: sample(properties.get(name)) for name in schema.get("required", ())}
    return SAMPLES.get(kind[0] if isinstance(kind, list) else kind or "string", "text")


def contracts(root: Path) -> list[tuple[ServerContract, ServerContract]]:
    """Pairs of versions of real servers; of a made-up one where the catalogs are not here."""
    folder = root.parent / "shared" / "data" / "catalogs"
    pairs: list[tuple[ServerContract, ServerContract]] = []
    for server in sorted(folder.iterdir()) if folder.is_dir() else ():
        versions = sorted(server.glob("*.json")) if server.is_dir() else []
        if len(versions) > 1 and len(pairs) < SERVERS:
            pairs.append((load(versions[0]), load(versions[-1])))
    if pairs:
        return pairs
    old, new = (
        {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name], "additionalProperties": False}
        for name in ("pageIdx", "pageId")
    )
    plain = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
    sides = (
        {"close_page": Tool("close_page", input_schema=schema), "open_page": Tool("open_page", input_schema=plain)}
        for schema in (old, new)
    )
    return [tuple(ServerContract("browser", tools=tools) for tools in sides)]  # type: ignore[list-item]  # two sides


@dataclass
class World:
    """What the tools of one run do: each effect is counted under its step and item."""

    chance: random.Random
    live: CallGuard
    effects: Counter[tuple[str, str]] = field(default_factory=Counter)
    ran: Counter[str] = field(default_factory=Counter)
    answer: Answer | None = None
    _ends: dict[str, tuple[str, str]] = field(default_factory=dict)  # by key: how it ended, how a repetition of it does

    def __post_init__(self) -> None:
        self.ledger = Ledger(MemoryStore())

        @idempotent(key="key", ledger=self.ledger, scope="apply")
        def apply(key: str, step: str, item: str) -> str:
            fault = self.chance.choice([*["none"] * 6, *FAULTS])
            self._ends[key] = ENDS[fault]
            if fault == "timeout before":
                raise no_effect(tool_error("TIMEOUT", f"No answer about {item}."))
            if fault == "busy":
                raise tool_error("SERVER_BUSY", "Full.", retry_after=1)
            if fault == "gone":
                raise tool_error("NOT_FOUND", f"No {item}.")
            self.effects[step, item] += 1
            if fault == "timeout after":
                raise TimeoutError
            if fault == "crash after":
                raise RuntimeError("secret")
            return item

        self._apply: Callable[..., str] = apply

    def call(self, tool: str, arguments: Any, step: str, cursor: str | None, *, batch: bool) -> Any:
        """One call, as the server answers it."""
        self.ran[step] += 1
        refused = self.live.check(tool, arguments)
        if refused is not None:
            self.answer = Answer.of_report(refused)
            return refused
        if not batch:
            try:
                return self._apply(key=step, step=step, item="")
            finally:
                self.answer = self._told(step)
        work = lambda item: self._apply(key=f"{step}:{item}", step=step, item=item)  # noqa: E731
        done = run_batch_sync(ITEMS, work, cursor=cursor, limit=1, page=2)
        whole = all(self._ends.get(f"{step}:{item}") == ENDS["none"] for item in ITEMS)
        self.answer = Answer("ok" if whole else "partial")
        return done

    def answered(self) -> Answer | None:
        """What the last call was made to end with; None where the tool did not run since the last question."""
        last, self.answer = self.answer, None
        return last

    def _told(self, key: str) -> Answer:
        """What a call with that key is answered: what became of it, or of its first time."""
        code, again = self._ends[key]
        self._ends[key] = (again, again)
        return Answer("error", code) if code else Answer("empty")  # a call alone is about no item, and returns ""


@dataclass
class Told:
    """A server's log and the script's own count, told of each turn side by side."""

    server: str
    log: ErrorLog
    tally: Tally
    spent: random.Random

    def turn(self, call: ToolCall, outcome: Outcome, answer: Answer, *, by_hook: bool) -> None:
        """A log that is a hook knows no tokens; a loop of one's own tells them, now and then."""
        tokens = None
        if by_hook:
            self.log(call, outcome)
        else:
            tokens = self.spent.randint(50, 900) if self.spent.random() < 0.9 else None
            error = outcome.result if outcome.is_error else None
            self.log.record(error, run=call.run, action=call.tool, outcome=outcome.kind, tokens=tokens)
        self.tally.count(call.run, self.server, call.tool, answer, tokens)


@dataclass
class Agent:
    """A loop that only the guard ends."""

    chance: random.Random
    guard: RetryGuard
    world: World
    run: str
    told: Told | None = None
    turns: int = 0
    resumed: int = 0
    summary: str = ""

    def work(self, tools: list[tuple[str, Any]]) -> None:
        for index, (tool, arguments) in enumerate(tools):
            self._step(tool, arguments, f"{self.run}:{index}", batch=index % 2 == 1)
            over = self.guard.over(self.run)
            if over is not None:
                self.summary = over.message
                return

    def _step(self, tool: str, arguments: Any, step: str, *, batch: bool) -> None:
        cursor: str | None = None
        while self.guard.over(self.run) is None:
            self.turns += 1
            sent = arguments if cursor is None else {**arguments, "cursor": cursor}
            call = ToolCall(tool, sent, run=self.run)
            outcome = self.guard.attempt(call, partial(self.world.call, tool, arguments, step, cursor, batch=batch))
            if self.told is not None:
                answer = self.world.answered() or Answer("refused")
                self.told.turn(call, outcome, answer, by_hook=int(self.run.partition("-")[2]) % 2 == 0)
            if outcome.kind in ("ok", "empty"):
                return
            result = outcome.partial
            if result is not None and result.cursor not in (None, cursor):
                self.resumed += 1
                cursor = result.cursor
            elif self._gives_up(outcome, result):
                return
            else:
                arguments = self._changed(arguments, outcome)

    def _gives_up(self, outcome: Outcome, result: PartialResult[Any] | None) -> bool:
        if result is not None and result.cursor is None:
            return True
        stopped = outcome.code == "RETRY_LIMIT"
        return stopped and self.chance.random() < 0.5  # else it goes on all the same

    def _changed(self, arguments: Any, outcome: Outcome) -> Any:
        """The same again, the call that the error suggests, or something at random."""
        suggested = getattr(outcome.result, "suggested_arguments", None)
        if suggested is not None and self.chance.random() < 0.5:
            return suggested
        if self.chance.random() < 0.7:
            return arguments
        return {**arguments, f"x{self.chance.randrange(3)}": self.chance.random()}


def test_a_thousand_runs_end_no_effect_happens_twice_and_the_report_knows_it(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, tally, log = contracts(root), Tally(), str(tmp_path / "log.sqlite")
    logs = {old.name: ErrorLog(log, server=old.name) for old, _ in pairs}
    logging.disable(logging.CRITICAL)  # each crash is logged with its traceback
    try:
        finished = [
            _run(seed, pair, Told(pair[0].name, logs[pair[0].name], tally, random.Random(seed)))
            for seed, pair in _numbered(pairs)
        ]
    finally:
        logging.disable(logging.NOTSET)
    assert all(each.flush(60) for each in logs.values())
    for each in logs.values():
        each.close()
    tally.end()
    _is_bounded(finished)
    assert fusion(["report", log, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert figures(document) == tally.truth
    assert document["periods"][0]["runs"] == len(tally.runs) == RUNS
    total = document["periods"][0]["total"]
    assert total["calls"] == sum(sum(agent.world.ran.values()) for agent in finished)
    assert total["calls"] + total["refused"] == sum(agent.turns for agent in finished)
    assert min(total["partial"], total["empty"], total["told"]["errors"], total["untold"]["healed"]) > 0


def _is_bounded(finished: list[Agent]) -> None:
    assert len(finished) == RUNS
    assert {count for agent in finished for count in agent.world.effects.values()} == {1}
    for agent in finished:
        # A turn succeeds, resumes, or is a failure or refusal, of which the run has a budget.
        assert agent.turns <= LIMITS.failures + STEPS + agent.resumed
        assert agent.resumed <= STEPS * (len(ITEMS) + LIMITS.failures)
        assert agent.guard.over(agent.run) is None or agent.summary.startswith("This run has used up its budget: 20 ")
    kinds = Counter(agent.summary != "" for agent in finished)
    assert kinds[True] > 0
    assert kinds[False] > 0  # the faults are such that some runs are stopped, and some are not


def _numbered(pairs: list[tuple[ServerContract, ServerContract]]) -> list[tuple[int, tuple[ServerContract, CallGuard]]]:
    guarded = [(old, CallGuard(old, new)) for old, new in pairs if old.tools]
    return [(seed, guarded[seed % len(guarded)]) for seed in range(RUNS)]


def _run(seed: int, pair: tuple[ServerContract, CallGuard], told: Told | None = None) -> Agent:
    chance = random.Random(seed)
    old, live = pair
    names = [chance.choice(sorted(old.tools)) for _ in range(STEPS)]
    tools = [(name, sample(old.tools[name].input_schema)) for name in names]
    agent = Agent(chance, RetryGuard(limits=LIMITS), World(chance, live), f"run-{seed}", told)
    agent.work(tools)
    return agent


@pytest.mark.parametrize("seed", range(5))
def test_a_run_is_the_same_each_time(root: Path, seed: int) -> None:
    old, new = contracts(root)[0]
    agents = [_run(seed, (old, CallGuard(old, new))) for _ in range(2)]
    assert agents[0].turns == agents[1].turns
    assert agents[0].world.effects == agents[1].world.effects
