"""Idempotency against a model: whatever calls come, end, crash or are forgotten, and however the store fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule

from fusion_contracts import ToolFault, tool_error
from fusion_contracts.loop.idempotency import Ledger, idempotent
from fusion_contracts.loop.idempotency.keys import digest_of
from fusion_contracts.loop.idempotency.ledger import Claim
from fusion_contracts.loop.idempotency.record import Ending
from fusion_contracts.loop.stores import MemoryStore, Store, StoreError

DAY, LEASE = 86_400.0, 3_000.0  # seconds
KEYS = st.sampled_from(["a", "b"])
AMOUNTS = st.sampled_from([1, 2])
PROCESSES = st.sampled_from([0, 1])
ENDINGS = st.sampled_from(["result", "no effect", "declined", "open", "foreign"])

FAILS = st.lists(st.sampled_from(["before", "after"]), max_size=3)
PLANS = st.builds(lambda skip, fails: [""] * skip + fails, st.integers(0, 6), FAILS)

Result = TypeVar("Result")


def _end(how: str, value: str) -> str:
    """What the effect returns, or raises."""
    if how == "no effect":
        raise tool_error("VALIDATION_ERROR", value)
    if how == "declined":
        raise tool_error("DECLINED", value)
    if how == "open":
        raise tool_error("TIMEOUT", value)
    if how == "foreign":
        raise OSError(value)
    return value


class Process:
    """One process that calls the tool: a ledger of its own on the shared store."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.ledger = Ledger(store, lease=LEASE, clock=clock)
        self.effects: list[str] = []
        self._how = ""
        self._pay = idempotent("key", ledger=self.ledger, scope="pay")(self._effect)

    def _effect(self, key: str, amount: int) -> str:
        self.effects.append(key)
        return _end(self._how, f"{key} {amount} {id(self)} {len(self.effects)}")

    def call(self, key: str, amount: int, how: str) -> tuple[bool, str]:
        """Whether the effect was had, and what came back: a result, or the code of a fault and its message."""
        before = len(self.effects)
        self._how = how
        try:
            said = self._pay(key, amount)
        except ToolFault as fault:
            said = f"{fault.code}: {fault.message}"
        except OSError:
            said = "foreign"
        return len(self.effects) > before, said


@dataclass
class Standing:
    """What the model knows of a key: who may have had the effect, and what a repeated call must be told."""

    amount: int
    state: str  # running, unknown, ended
    said: str = ""
    until: float = 0.0  # of the lease, or of the record


class Calls(RuleBasedStateMachine):
    """The store never fails: every answer is known exactly."""

    running: Bundle[tuple[int, str, Claim]] = Bundle("running")

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_800_000_000.0
        self.store = MemoryStore(clock=lambda: self.now)
        self.processes = [Process(self.store, lambda: self.now) for _ in range(2)]
        self.model: dict[str, Standing] = {}
        self.alive: dict[str, int] = {}  # the process whose heartbeat holds a key's lease

    def _standing(self, key: str) -> Standing | None:
        standing = self.model.get(key)
        if standing is not None and standing.state == "ended" and self.now >= standing.until:
            del self.model[key]
            return None
        return standing

    def _expected(self, key: str, amount: int) -> str | None:
        """The beginning of what a call is told; None where it has the effect."""
        standing = self._standing(key)
        if standing is None:
            return None
        if standing.amount != amount:
            return f"CONFLICT: The idempotency key {key} was used before with other arguments"
        if standing.state == "ended":
            return standing.said
        if standing.state == "running" and self.now < standing.until:
            return f"CONFLICT: A call with the idempotency key {key} is still running"
        return f"OUTCOME_UNKNOWN: Outcome unknown: an earlier call with the idempotency key {key} began and "

    @rule(process=PROCESSES, key=KEYS, amount=AMOUNTS, how=ENDINGS)
    def call(self, process: int, key: str, amount: int, how: str) -> None:
        expected = self._expected(key, amount)
        had, said = self.processes[process].call(key, amount, how)
        assert had is (expected is None)
        if expected is not None:
            assert said.startswith(expected)
        elif how in ("result", "declined"):
            self.model[key] = Standing(amount, "ended", said, self.now + DAY)
        elif how != "no effect":
            self.model[key] = Standing(amount, "unknown")

    @rule(target=running, process=PROCESSES, key=KEYS, amount=AMOUNTS)
    def begin(self, process: int, key: str, amount: int) -> Any:
        expected = self._expected(key, amount)
        if expected is not None:
            return multiple()
        ledger = self.processes[process].ledger
        claim = ledger.begin("pay", key, digest_of({"key": key, "amount": amount}))
        assert isinstance(claim, Claim)
        self.model[key] = Standing(amount, "running", until=self.now + LEASE)
        self.alive[key] = process
        return (process, key, claim)

    @rule(held=consumes(running), effect=st.booleans())
    def end(self, held: tuple[int, str, Claim], effect: bool) -> None:
        process, key, claim = held
        own = self._own(claim)
        said = f"ended {claim.record.token}"
        self.processes[process].ledger.end(claim, Ending("ended", {"value": said}) if effect else None)
        self.alive.pop(key, None) if own else None
        if own and effect:
            self.model[key] = Standing(self.model[key].amount, "ended", said, self.now + DAY)
        elif own:
            del self.model[key]

    @rule(held=consumes(running))
    def crash(self, held: tuple[int, str, Claim]) -> None:
        """The holder is gone: its lease is renewed no more."""
        process, key, claim = held
        self.processes[process].ledger.heartbeat._here.here().leases.discard(claim.lease)
        if self._own(claim):
            self.alive.pop(key, None)

    @rule(seconds=st.sampled_from([1.0, LEASE - 1, LEASE, DAY]), beats=st.booleans())
    def pass_time(self, seconds: float, beats: bool) -> None:
        self.now += seconds
        if beats:
            for process in self.processes:
                process.ledger.heartbeat.beat()
            for key in self.alive:
                self.model[key].until = self.now + LEASE

    @rule(process=PROCESSES, key=KEYS)
    def forget(self, process: int, key: str) -> None:
        stood = self._standing(key) is not None
        assert self.processes[process].ledger.forget("pay", key) is stood
        self.model.pop(key, None)
        self.alive.pop(key, None)

    @rule(process=PROCESSES, key=KEYS)
    def settle(self, process: int, key: str) -> None:
        standing = self._standing(key)
        open_ = standing is not None and standing.state != "ended"
        assert self.processes[process].ledger.settle("pay", key, "settled") is open_
        if standing is not None and open_:
            self.model[key] = Standing(standing.amount, "ended", "settled", self.now + DAY)
            self.alive.pop(key, None)

    def _own(self, claim: Claim) -> bool:
        """Whether the record that stands is still the one of that claim."""
        return self.store.get(claim.place) == claim.record.encoded()

    def teardown(self) -> None:
        for process in self.processes:
            process.ledger.close()


class Flaky:
    """A store that fails as it is told: before it has done what it was asked, or after."""

    blocking = False

    def __init__(self, store: Store) -> None:
        self._store = store
        self.plan: list[str] = []

    def get(self, key: str) -> bytes | None:
        return self._ask(lambda: self._store.get(key))

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        return self._ask(lambda: self._store.replace(key, old, new, ttl=ttl))

    def close(self) -> None: ...

    def _ask(self, ask: Callable[[], Result]) -> Result:
        fails = self.plan.pop(0) if self.plan else ""
        if fails == "before":
            raise StoreError("it does not answer")
        answer = ask()
        if fails == "after":
            raise StoreError("its answer was lost")
        return answer


class FailingStore(RuleBasedStateMachine):
    """The store fails at any moment: no effect is had twice, and when it answers again every outcome is clear."""

    def __init__(self) -> None:
        super().__init__()
        memory = MemoryStore(clock=lambda: 0.0)
        self.stores = [Flaky(memory) for _ in range(2)]
        self.processes = [Process(store, lambda: 0.0) for store in self.stores]
        self.model: dict[str, Standing] = {}  # of keys whose effect was had, or may have been

    @rule(process=PROCESSES, key=KEYS, amount=AMOUNTS, how=ENDINGS, plan=PLANS)
    def call(self, process: int, key: str, amount: int, how: str, plan: list[str]) -> None:
        self.stores[process].plan = [*plan]
        standing = self.model.get(key)
        had, said = self.processes[process].call(key, amount, how)
        self.stores[process].plan = []
        if had:
            assert standing is None
            if how in ("result", "declined"):
                self.model[key] = Standing(amount, "ended", said)
            elif how != "no effect":
                self.model[key] = Standing(amount, "unknown")
        elif standing is None or standing.said != said:
            assert said.split(":")[0] in ("CONFLICT", "OUTCOME_UNKNOWN", "SERVER_BUSY")
        else:
            assert standing.amount == amount

    @rule(fails=FAILS)
    def beat(self, fails: list[str]) -> None:
        """Each process tells the store what was late; it may fail again."""
        for store, process in zip(self.stores, self.processes, strict=True):
            store.plan = [*fails]
            process.ledger.heartbeat.beat()
            store.plan = []

    @rule(process=PROCESSES, key=KEYS, amount=AMOUNTS)
    def look(self, process: int, key: str, amount: int) -> None:
        """The store answers again, and what is told is what happened."""
        self.beat(fails=[])
        standing = self.model.get(key)
        had, said = self.processes[process].call(key, amount, "result")
        assert had is (standing is None)
        if standing is None:
            self.model[key] = Standing(amount, "ended", said)
        elif standing.amount != amount:
            assert said.startswith(f"CONFLICT: The idempotency key {key} was used before with other arguments")
        elif standing.state == "ended":
            assert said == standing.said
        else:
            assert said.startswith(f"OUTCOME_UNKNOWN: Outcome unknown: an earlier call with the idempotency key {key} ")

    def teardown(self) -> None:
        for process in self.processes:
            process.ledger.close()


@pytest.mark.parametrize("how", ["result", "no effect", "foreign"])
@pytest.mark.parametrize("skip", range(7))
@pytest.mark.parametrize("fails", [fails for many in (1, 2, 3) for fails in product(("before", "after"), repeat=many)])
def test_a_store_that_fails_at_any_step_leaves_a_clear_outcome(how: str, skip: int, fails: tuple[str, ...]) -> None:
    memory = MemoryStore(clock=lambda: 0.0)
    store = Flaky(memory)
    first, second = Process(store, lambda: 0.0), Process(memory, lambda: 0.0)
    store.plan = [""] * skip + [*fails]
    had, said = first.call("a", 1, how)
    unreached = store.plan
    store.plan = []
    assert had is (said != "SERVER_BUSY: The store of idempotency keys does not answer; nothing was done.")
    assert had or skip < 3
    first.ledger.heartbeat.beat()
    assert not first.ledger.heartbeat.beat()
    again, told = second.call("a", 1, "result")
    assert again is (not had or how == "no effect")
    if had and how == "result":
        assert told == said
    elif had and how == "foreign":
        assert told.startswith("OUTCOME_UNKNOWN: Outcome unknown: an earlier call ")
        assert "began and failed (OSError);" in told
    assert skip < 5 or unreached == [""] * (skip - 5) + [*fails]
    for process in (first, second):
        process.ledger.close()


def test_an_end_that_came_late_is_written_by_the_next_call_of_its_process() -> None:
    """It need not wait for a heartbeat: the store answers again, and so does the call."""
    memory = MemoryStore(clock=lambda: 0.0)
    store = Flaky(memory)
    first, second = Process(store, lambda: 0.0), Process(memory, lambda: 0.0)
    store.plan = ["", "", "", "before", "before"]  # look, lease, record; then the end, and the look whether it stands
    had, said = first.call("a", 1, "result")
    assert (had, store.plan) == (True, [])
    assert second.call("a", 1, "result")[1].startswith("CONFLICT: A call with the idempotency key a is still running")
    assert first.call("a", 1, "result") == (False, said)
    assert second.call("a", 1, "result") == (False, said)
    for process in (first, second):
        process.ledger.close()


class Interrupted(MemoryStore):
    """A store in which something else happens while somebody looks at a lease."""

    def __init__(self) -> None:
        super().__init__(clock=lambda: 0.0)
        self.meanwhile: Callable[[], object] = lambda: None

    def get(self, key: str) -> bytes | None:
        if key.startswith("lease:"):
            meanwhile, self.meanwhile = self.meanwhile, lambda: None
            meanwhile()
        return super().get(key)


def test_a_call_that_ends_while_its_lease_is_looked_at_is_replayed() -> None:
    """Its lease is gone, and so is the record that was read before: that outcome is not unknown."""
    store = Interrupted()
    first, second = Process(store, lambda: 0.0), Process(store, lambda: 0.0)
    claim = first.ledger.begin("pay", "a", digest_of({"key": "a", "amount": 1}))
    assert isinstance(claim, Claim)
    store.meanwhile = lambda: first.ledger.end(claim, Ending("ended", {"value": "paid"}))
    assert second.call("a", 1, "result") == (False, "paid")
    for process in (first, second):
        process.ledger.close()


TestCalls = Calls.TestCase
TestFailingStore = FailingStore.TestCase
