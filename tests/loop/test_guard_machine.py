"""The guard against a model: whatever calls, failures, successes, waits and cancellations come, and in what order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fusion_contracts import ToolFault, tool_error
from fusion_contracts.loop import AsyncRetryGuard, Limits, MemoryStore, Outcome, RetryGuard, ToolCall

ACTIONS = ("read", "write", "look")
READ_ONLY = frozenset({"look"})
ARGUMENTS = ("c0ffee-value-one", "c0ffee-value-two")
ERRORS = (("NOT_FOUND", True), ("VALIDATION_ERROR", True), ("TIMEOUT", False), ("SERVER_BUSY", False))
WINDOW = 100.0

Error: TypeAlias = tuple[str, tuple[str, ...]]


@dataclass
class Repeated:
    """Failures of one call: how many, how many at the end are for good, how many repeats are out, when the last was."""

    failures: int = 0
    lasting: int = 0
    out: int = 0
    at: float = 0.0


@dataclass
class Model:
    """A run as the documentation tells it, as a list of what happened to each action and each call."""

    limits: Limits
    failures: int = 0
    calls: int = 0
    rows: dict[str, list[tuple[Error, float]]] = field(default_factory=dict)
    repeated: dict[tuple[str, str], Repeated] = field(default_factory=dict)

    def stopped(self, action: str, argument: str, now: float) -> str | None:
        if self.failures >= self.limits.failures or (self.limits.calls is not None and self.calls >= self.limits.calls):
            return "run"
        row = self.rows.get(action, [])
        if len(row) >= self.limits.in_a_row and now - row[-1][1] < WINDOW:
            return "action"
        same = self.fresh(action, argument, now)
        if same is None:
            return None
        for_good = same.lasting > 0 and same.lasting + same.out >= self.limits.permanent
        passing = same.failures - same.lasting + same.out >= self.limits.transient
        return "call" if for_good or passing else None

    def fresh(self, action: str, argument: str, now: float) -> Repeated | None:
        same = self.repeated.get((action, argument))
        return same if same is not None and now - same.at < WINDOW else None

    def begin(self, action: str, argument: str, now: float) -> None:
        self.calls += 1
        same = self.fresh(action, argument, now)
        if same is not None:
            same.out += 1

    def fail(self, action: str, argument: str, error: Error, now: float, *, lasting: bool) -> None:
        self.failures += 1
        row = self.rows.setdefault(action, [])
        if row and (row[-1][0] != error or now - row[-1][1] >= WINDOW):
            row.clear()
        row.append((error, now))
        same = self.fresh(action, argument, now) or Repeated()
        self.repeated[action, argument] = Repeated(
            same.failures + 1, same.lasting + 1 if lasting else 0, max(0, same.out - 1), now
        )

    def succeed(self, action: str, argument: str) -> None:
        self.rows.pop(action, None)
        self.repeated.pop((action, argument), None)
        if action not in READ_ONLY:
            for same in self.repeated.values():
                same.lasting = 0

    def cancel(self, action: str, argument: str, now: float) -> None:
        same = self.fresh(action, argument, now)
        if same is not None:
            same.out = max(0, same.out - 1)


class GuardMachine(RuleBasedStateMachine):
    """A `RetryGuard` with calls that overlap."""

    guard: Any

    @initialize(
        limits=st.builds(
            Limits,
            permanent=st.integers(1, 2), transient=st.integers(1, 3), in_a_row=st.integers(1, 4),
            failures=st.integers(3, 15), calls=st.none() | st.integers(5, 30), window=st.just(WINDOW),
        )
    )  # fmt: skip
    def start(self, limits: Limits) -> None:
        self.now = 0.0
        self.store = MemoryStore(clock=lambda: 0.0)  # its values do not expire; the guard's own clock runs
        self.made(limits)
        self.model = Model(limits)
        self.running: list[tuple[str, str]] = []

    def made(self, limits: Limits) -> None:
        self.guard = RetryGuard(self.store, limits=limits, read_only=READ_ONLY, clock=lambda: self.now)

    def asked(self, answer: Any) -> Any:
        return answer

    def call(self, action: str, argument: str) -> ToolCall:
        return ToolCall(action, {"key": argument}, run="one")

    @rule(action=st.sampled_from(ACTIONS), argument=st.sampled_from(ARGUMENTS))
    def begin(self, action: str, argument: str) -> None:
        answer: ToolFault | None = self.asked(self.guard.before(self.call(action, argument)))
        expected = self.model.stopped(action, argument, self.now)
        assert (None if answer is None else answer.details["scope"]) == expected
        if answer is None:
            self.model.begin(action, argument, self.now)
            self.running.append((action, argument))
            return
        assert (answer.code, answer.severity) == ("RETRY_LIMIT", "critical")
        assert answer.recovery
        if expected != "run":
            self.model.failures += 1

    @precondition(lambda self: self.model.repeated)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        """A call that failed before, also while a repeat of it is under way: chance alone rarely meets one."""
        self.begin(*data.draw(st.sampled_from(sorted(self.model.repeated))))

    @precondition(lambda self: self.running)
    @rule(
        data=st.data(), error=st.sampled_from(ERRORS), fields=st.sampled_from([(), ("key",), ("key", "other")]),
    )  # fmt: skip
    def fail(self, data: st.DataObject, error: tuple[str, bool], fields: tuple[str, ...]) -> None:
        action, argument = self.taken(data)
        fault = tool_error(error[0], f"It failed on {argument} this time.")
        self.asked(self.guard.after(self.call(action, argument), Outcome("execution_error", fault, fields)))
        self.model.fail(action, argument, (error[0], fields), self.now, lasting=error[1])

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def succeed(self, data: st.DataObject) -> None:
        action, argument = self.taken(data)
        self.asked(self.guard.after(self.call(action, argument), Outcome("ok")))
        self.model.succeed(action, argument)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        action, argument = self.taken(data)
        self.asked(self.guard.after(self.call(action, argument), None))
        self.model.cancel(action, argument, self.now)

    @rule(seconds=st.sampled_from([1.0, 60.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    def taken(self, data: st.DataObject) -> tuple[str, str]:
        return self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))

    @invariant()
    def a_run_is_over_when_its_budget_is(self) -> None:
        if not hasattr(self, "model"):
            return
        over = self.asked(self.guard.over("one"))
        limits, model = self.model.limits, self.model
        spent = model.failures >= limits.failures or (limits.calls is not None and model.calls >= limits.calls)
        assert (over is not None) is spent
        assert self.asked(self.guard.over("another")) is None

    @invariant()
    def no_value_that_was_sent_is_kept(self) -> None:
        if hasattr(self, "model"):
            kept = self.store.get("guard:one") or b""
            assert b"c0ffee" not in kept

    def teardown(self) -> None:
        if hasattr(self, "model"):
            self.asked(self.guard.forget("one"))
            assert self.store.get("guard:one") is None


class AsyncGuardMachine(GuardMachine):
    """The same of an `AsyncRetryGuard`."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()

    def made(self, limits: Limits) -> None:
        self.guard = AsyncRetryGuard(self.store, limits=limits, read_only=READ_ONLY, clock=lambda: self.now)

    def asked(self, answer: Any) -> Any:
        return self.runner.run(answer)

    def teardown(self) -> None:
        super().teardown()
        self.runner.close()


GuardMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=50)
AsyncGuardMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40)
TestGuard = GuardMachine.TestCase
TestAsyncGuard = AsyncGuardMachine.TestCase
