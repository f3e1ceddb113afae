"""What a guard remembers and what it does not, many calls at once, and a store that cannot be asked."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from guarding import MISSING, SLOW, call, ended, scope

from fusion_contracts import tool_error
from fusion_contracts.loop import (
    AsyncRetryGuard,
    Limits,
    MemoryStore,
    Outcome,
    RetryGuard,
    StoreError,
    ToolCall,
)
from fusion_contracts.loop.attempts import Call
from fusion_contracts.loop.summary import attempt_of

# What is remembered


@pytest.mark.parametrize(
    ("arguments", "message", "kept"),
    [
        ({"id": "inv_9731"}, "No invoice inv_9731 of inv_9731x.", "No invoice {id} of inv_9731x."),
        ({"n": 4711}, "There are 4711 rows, not 47110.", "There are {n} rows, not 47110."),
        ({"a": {"b": ["deep-value"]}}, "deep-value is bad", "{a} is bad"),
        ({"text": "a very long secret text"}, "It begins with a very long se...", "It begins with ..."),
        ({"short": "ab", "long": "ab cd"}, "Not ab cd, not ab", "Not {long}, not {short}"),
        ({"x": r"a\1b.*"}, r"Bad pattern a\1b.*", r"Bad pattern a\1b.*".replace(r"a\1b.*", "{x}")),
        ({}, "key=x&token=hunter2", "key=x&token=(hidden)"),
        ({"flag": True, "none": None}, "True and None stay", "True and None stay"),
        ({}, "line\nbreak\x07", r"line\nbreak"),
        ({"rows": list(range(2000))}, "Row 1999 is bad", "(not kept: too much was sent to take it out)"),
        ({}, "x" * 300, "x" * 197 + "..."),
    ],
)
def test_what_an_attempt_said_is_kept_without_what_was_sent(arguments: Any, message: str, kept: str) -> None:
    guard = RetryGuard()
    made = ToolCall("t", arguments, run="r")
    ended(guard, made, tool_error("NOT_FOUND", message))
    refused = guard.before(made)
    assert refused is not None
    assert refused.details["attempt 1"] == "{" + ", ".join(arguments) + "} NOT_FOUND: " + kept


def test_a_value_longer_than_the_message_costs_no_search() -> None:
    """A pattern of fifty million characters took over a minute; the suite's time limit holds this."""
    value = "No page 7" + "y" * 50_000_000
    assert attempt_of(Call("r", "a", {"text": value}), MISSING, ()).message == "No page."


def test_what_a_store_holds_of_a_run() -> None:
    store = MemoryStore()
    guard = RetryGuard(store, clock=lambda: 5.0)
    ended(guard, ToolCall("t", {"id": "inv_9731"}, run="r"), tool_error("NOT_FOUND", "No invoice inv_9731."))
    key = Call("r", "t", {"id": "inv_9731"}).digest
    assert len(key) == 24
    attempt = '[["id"],"NOT_FOUND",[],"No invoice {id}."]'
    assert (store.get("guard:r") or b"").decode() == (
        '{"failures":1,"calls":0,"totals":{"t":1},"streaks":{"t":[1,5.0,[' + attempt + "]]},"
        '"same":{"t":{"' + key + '":[1,1,0,5.0,[' + attempt + "]]}}}"
    )


@pytest.mark.parametrize("value", [b"", b"{}", b"\xff", b"[]", b'{"failures":"x"}', b"null"])
def test_what_another_program_wrote_there_is_nothing(value: bytes) -> None:
    store = MemoryStore()
    store.replace("guard:r", None, value)
    guard = RetryGuard(store)
    assert ended(guard, call(run="r", pageId=1), MISSING) is None
    assert scope(guard.before(call(run="r", pageId=1))) == "call"


def test_success_alone_writes_nothing() -> None:
    class Counting(MemoryStore):
        asked = 0
        written = 0

        def get(self, key: str) -> bytes | None:
            self.asked += 1
            return super().get(key)

        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            self.written += 1
            return super().replace(key, old, new, ttl=ttl)

    store = Counting()
    guard = RetryGuard(store)
    ended(guard, call(pageId=1), "fine")
    assert (store.asked, store.written) == (2, 0)
    ended(guard, call(pageId=1), MISSING)
    before = store.asked
    assert guard.before(call(pageId=2)) is None
    assert (store.asked, store.written) == (before + 1, 1)  # a check is one look-up, also of a run with failures


# Many at once


def test_of_many_repeats_at_once_no_more_run_than_may() -> None:
    guard = RetryGuard()
    ended(guard, call(pageId=1), SLOW)
    barrier = threading.Barrier(16)
    ran: list[int] = []

    def repeat(index: int) -> None:
        barrier.wait(timeout=30)
        if guard.before(call(pageId=1)) is None:
            ran.append(index)
            guard.after(call(pageId=1), Outcome.of(SLOW))

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(repeat, range(16)))
    assert len(ran) == 1


def test_no_failure_of_many_threads_is_lost() -> None:
    guard = RetryGuard(limits=Limits(failures=1000, in_a_row=1000))
    barrier = threading.Barrier(8)

    def fail(worker: int) -> None:
        barrier.wait(timeout=30)
        for index in range(25):
            ended(guard, call("t", run="r", worker=worker, index=index), SLOW)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(fail, range(8)))
    assert RetryGuard(guard.store, limits=Limits(failures=200)).over("r") is not None
    assert RetryGuard(guard.store, limits=Limits(failures=201)).over("r") is None


# In a loop


def test_an_attempt_is_the_calls_outcome_or_that_of_the_refusal() -> None:
    guard = RetryGuard()
    ran: list[int] = []

    def tool() -> str:
        ran.append(1)
        raise SLOW

    outcomes = [guard.attempt(call(pageId=1), tool) for _ in range(3)]
    assert [outcome.code for outcome in outcomes] == ["TIMEOUT", "TIMEOUT", "RETRY_LIMIT"]
    assert (len(ran), outcomes[-1].retryable) == (2, False)
    assert guard.attempt(call(pageId=2), lambda: 5).result == 5


def test_an_attempt_of_a_coroutine() -> None:
    guard = AsyncRetryGuard()

    async def tool() -> str:
        await asyncio.sleep(0)
        raise MISSING

    async def main() -> list[str]:
        return [(await guard.attempt(call(pageId=1), tool)).code for _ in range(2)]

    assert asyncio.run(main()) == ["NOT_FOUND", "RETRY_LIMIT"]


def test_a_cancelled_repeat_is_no_attempt() -> None:
    guard = AsyncRetryGuard()

    async def slow() -> None:
        raise SLOW

    async def main() -> str:
        await guard.attempt(call(pageId=1), slow)
        waiting = asyncio.ensure_future(guard.attempt(call(pageId=1), asyncio.Event().wait))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return (await guard.attempt(call(pageId=1), slow)).code

    assert asyncio.run(main()) == "TIMEOUT"


def test_an_interrupted_repeat_is_no_attempt() -> None:
    guard = RetryGuard()
    ended(guard, call(pageId=1), SLOW)

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guard.attempt(call(pageId=1), interrupted)
    assert guard.before(call(pageId=1)) is None


# A store that cannot be asked


class Broken(MemoryStore):
    """A store whose every call fails."""

    def get(self, key: str) -> bytes | None:  # noqa: ARG002 - the protocol's
        raise StoreError("the store does not answer", "start it")


def test_without_its_store_the_limits_hold_within_the_process(caplog: pytest.LogCaptureFixture) -> None:
    guard = RetryGuard(Broken())
    assert [scope(ended(guard, call(pageId=1), MISSING)) for _ in range(3)] == [None, "call", "call"]
    waiting = AsyncRetryGuard(Broken())

    async def main() -> list[str]:
        async def tool() -> None:
            raise MISSING

        return [(await waiting.attempt(call(pageId=1), tool)).code for _ in range(2)]

    assert asyncio.run(main()) == ["NOT_FOUND", "RETRY_LIMIT"]
    said = "Retry limits hold within this process alone, while their store cannot be asked: "
    assert [record.getMessage() for record in caplog.records] == [f"{said}the store does not answer; start it"] * 2
