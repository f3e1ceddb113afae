"""The claim of a running call: renewed, lost, settled, forgotten, given back."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from repeating import DAY, Clock, Effect, outcome, tools

from fusion_contracts.loop.idempotency import Ledger, idempotent
from fusion_contracts.loop.idempotency.keys import digest_of
from fusion_contracts.loop.idempotency.ledger import Claim
from fusion_contracts.loop.idempotency.record import Ending
from fusion_contracts.loop.stores import MemoryStore, Store


def test_a_holder_that_gave_no_sign_of_life_has_an_unknown_outcome_and_a_slow_one_ends_all_the_same(
    ledger: Ledger, clock: Clock
) -> None:
    effect = Effect()
    (pay, *_) = tools(ledger, effect, scope="pay")
    crashed = Ledger(ledger.store, clock=clock, lease=30)
    claim = crashed.begin("pay", "a", digest_of({"ref": "a", "amount": 5}))
    crashed.heartbeat.stop()
    clock.now += 29
    assert outcome(pay, "a", 5).message == (
        "A call with the idempotency key a is still running; nothing was done beside it."
    )
    crashed.heartbeat.beat()
    clock.now += 29
    assert outcome(pay, "a", 5).code == "CONFLICT"
    clock.now += 2
    assert outcome(pay, "a", 5).to_xml() == (
        '<tool_error code="OUTCOME_UNKNOWN" severity="critical">\n'
        "  <message>Outcome unknown: an earlier call with the idempotency key a began and never reported its end; "
        "it may have taken effect.</message>\n"
        "  <recovery>Verify before you retry: look whether the effect is there. Only if it is not, call again with a "
        "new key.</recovery>\n"
        "  <details>\n"
        '    <detail key="begun">2027-01-15T08:00:00+00:00</detail>\n'
        "  </details>\n"
        "</tool_error>"
    )
    clock.now += 400 * DAY
    assert outcome(pay, "a", 5).code == "OUTCOME_UNKNOWN"
    assert isinstance(claim, Claim)
    crashed.heartbeat.beat()  # it was only stopped, and is back
    assert outcome(pay, "a", 5).code == "CONFLICT"
    crashed.end(claim, Ending("ended", {"value": "slow"}))
    assert outcome(pay, "a", 5) == "slow"
    assert effect.done == []


def test_a_verified_call_is_settled_or_forgotten(ledger: Ledger) -> None:
    effect = Effect(RuntimeError(), RuntimeError(), "paid at last")
    (pay, *_) = tools(ledger, effect, scope="pay")
    assert not ledger.settle("pay", "a", "x")
    assert not ledger.forget("pay", "a")
    outcome(pay, "a", 5)
    assert ledger.settle("pay", "a", {"seen": True})
    assert outcome(pay, "a", 5) == {"seen": True}
    assert not ledger.settle("pay", "a", "x")
    outcome(pay, "b", 5)
    assert ledger.forget("pay", "b")
    assert outcome(pay, "b", 5) == "paid at last"
    assert ledger.forget("pay", "b")
    assert effect.done == [5, 5, 5]


def test_a_call_that_was_forgotten_while_it_ran_says_so_in_the_log(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    def effect(amount: int) -> str:
        ledger.forget("pay", "a")
        return "paid"

    (pay, *_) = tools(ledger, effect, scope="pay")
    assert outcome(pay, "a", 5) == "paid"
    assert [record.getMessage() for record in caplog.records] == [
        "The record of a call was settled or forgotten while it ran; its own end was not written"
    ]


def test_a_call_that_is_cancelled_before_its_effect_gives_its_key_back(store: Store, kind: str, tmp_path: Any) -> None:
    if kind == "memory":
        pytest.skip("it never waits, so that nothing can be cancelled")
    reached, go = threading.Event(), threading.Event()
    scope = f"test:{tmp_path}"

    class Slow:
        blocking = True

        def get(self, key: str) -> bytes | None:
            return store.get(key)

        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            done = store.replace(key, old, new, ttl=ttl)
            if key.startswith("idempotency:"):
                reached.set()
                go.wait()
            return done

        def close(self) -> None: ...

    ledger = Ledger(Slow())
    effects: list[str] = []

    @idempotent("ref", ledger=ledger, scope=scope)
    async def pay(ref: str) -> str:
        effects.append(ref)
        return "paid"

    async def cancel() -> None:
        task = asyncio.ensure_future(pay("a"))
        await asyncio.to_thread(reached.wait)
        task.cancel()
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert effects == []
    assert asyncio.run(pay("a")) == "paid"
    assert asyncio.run(pay("a")) == "paid"
    assert effects == ["a"]
    ledger.forget(scope, "a")
    ledger.close()


def test_a_running_call_is_renewed_until_it_ends_and_no_thread_stays() -> None:
    renewed = threading.Event()
    beats: list[str] = []

    class Watched(MemoryStore):
        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            if key.startswith("lease:") and old is not None and new is not None:
                beats.append(key)
                if len(beats) == 3:
                    renewed.set()
            return super().replace(key, old, new, ttl=ttl)

    ledger = Ledger(Watched(), lease=0.03)

    @idempotent("ref", ledger=ledger)
    def pay(ref: str) -> str:
        renewed.wait()
        return "paid"

    assert pay("a") == "paid"
    thread = ledger.heartbeat._here.here().thread
    if thread is not None:
        thread.join()
    assert len(set(beats)) == 1
    assert ledger.heartbeat._here.here().thread is None
