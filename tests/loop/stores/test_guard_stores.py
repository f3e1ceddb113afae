"""One guard's state in every store: what one process learns, all know, and nothing of many at once is lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import uuid

from fusion_contracts import tool_error
from fusion_contracts.loop import AsyncRetryGuard, Limits, Outcome, RetryGuard, Store, ToolCall

SLOW = tool_error("TIMEOUT", "Slow.")
PROCESSES = 16

FAILING = """
import sys
from fusion_contracts import tool_error
from fusion_contracts.loop import Limits, Outcome, RetryGuard, ToolCall
url, run, worker = sys.argv[1:]
guard = RetryGuard(url, limits=Limits(failures=1000, in_a_row=1000))
slow = Outcome.of(tool_error("TIMEOUT", "Slow."))
own = ToolCall("own", {"worker": worker}, run=run)
shared = ToolCall("shared", {"n": 1}, run=run)
guard.before(own)  # the store is open
print("ready", flush=True)
sys.stdin.readline()
for index in range(5):
    guard.after(ToolCall("own", {"worker": worker, "index": index}, run=run), slow)
if guard.before(shared) is None:
    print("ran", flush=True)
    guard.after(shared, slow)
guard.store.close()
"""


def test_sixteen_processes_share_the_limits_of_a_run(url: str, kind: str) -> None:
    if kind == "memory":
        return  # of one process by definition
    run = uuid.uuid4().hex
    guard = RetryGuard(url, limits=Limits(in_a_row=1000))
    shared = ToolCall("shared", {"n": 1}, run=run)
    guard.after(shared, Outcome.of(SLOW))
    command = [sys.executable, "-c", FAILING, url, run]
    workers = [
        subprocess.Popen([*command, str(index)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for index in range(PROCESSES)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("\n")
        worker.stdin.flush()
    ran = [worker.communicate(timeout=120)[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * PROCESSES
    assert ran.count("ran\n") == 1
    failures = 1 + 5 * PROCESSES + 1 + (PROCESSES - 1)  # the first, all of their own, the repeat, the refusals
    assert RetryGuard(guard.store, limits=Limits(failures=failures)).over(run) is not None
    assert RetryGuard(guard.store, limits=Limits(failures=failures + 1)).over(run) is None
    guard.forget(run)
    guard.store.close()


def test_threads_and_coroutines_share_a_store(store: Store) -> None:
    run = uuid.uuid4().hex
    call = ToolCall("t", {"id": 1}, run=run)
    RetryGuard(store).after(call, Outcome.of(SLOW))
    waiting = AsyncRetryGuard(store)

    async def main() -> list[str]:
        async def tool() -> None:
            raise SLOW

        outcomes = await asyncio.gather(*(waiting.attempt(call, tool) for _ in range(8)))
        await waiting.forget(run)
        return sorted(outcome.code for outcome in outcomes)

    assert asyncio.run(main()) == ["RETRY_LIMIT"] * 7 + ["TIMEOUT"]
