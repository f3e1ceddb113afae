"""Many processes, killed processes, dying stores: never a second effect, never a lost record, a clear outcome."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paying
import psycopg
import pytest
from databases import PrivateRedis, private_redis

from fusion_contracts import ToolFault
from fusion_contracts.loop.idempotency import Ledger, idempotent
from fusion_contracts.loop.stores import Store, StoreError, open_store

PROCESSES = 16
SHARED = pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"], indirect=True)
IN_FLIGHT = f"CONFLICT: A call with the idempotency key {paying.KEY} is still running; nothing was done beside it."
UNKNOWN = (
    f"OUTCOME_UNKNOWN: Outcome unknown: an earlier call with the idempotency key {paying.KEY} began and never reported "
    "its end; it may have taken effect."
)
NO_STORE = "SERVER_BUSY: The store of idempotency keys does not answer; nothing was done."


@pytest.fixture
def scope() -> str:
    return f"test:{uuid.uuid4()}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "paid"


@pytest.fixture
def ledger(store: Store, scope: str) -> Iterator[Ledger]:
    made = Ledger(store)
    yield made
    made.forget(scope, paying.KEY)
    made.heartbeat.stop()


def started(url: str, scope: str, file: Path, *step: str) -> subprocess.Popen[str]:
    command = [sys.executable, paying.__file__, url, scope, str(file), *step]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def payments(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


def test_of_sixteen_threads_one_has_the_effect(ledger: Ledger, scope: str, file: Path) -> None:
    with ThreadPoolExecutor(PROCESSES) as pool:
        answers = set(pool.map(lambda _: paying.pay(ledger, scope, str(file)), range(PROCESSES)))
    (payer,) = payments(file)
    assert answers | {IN_FLIGHT} == {f"paid by {payer}", IN_FLIGHT}
    assert paying.pay(ledger, scope, str(file)) == f"paid by {payer}"


@SHARED
def test_of_sixteen_processes_one_has_the_effect(url: str, ledger: Ledger, scope: str, file: Path) -> None:
    processes = [started(url, scope, file) for _ in range(PROCESSES)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    answers = [process.communicate()[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES
    (payer,) = payments(file)
    assert {*answers} | {IN_FLIGHT} == {f"paid by {payer}", IN_FLIGHT}
    assert paying.pay(ledger, scope, str(file)) == f"paid by {payer}"
    assert payments(file) == [payer]


# A first call asks: 1 what stands there, 2 a lease, 3 the record; the effect; 4 its end, 5 the lease back.
STEPS = {
    "before 1": "again", "after 1": "again", "before 2": "again", "after 2": "again", "before 3": "again",
    "after 3": "unknown, nothing done", "before effect": "unknown, nothing done",
    "after effect": "unknown, done", "before 4": "unknown, done",
    "after 4": "replayed", "before 5": "replayed", "after 5": "replayed",
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@SHARED
@pytest.mark.parametrize("step", STEPS)
def test_a_process_killed_at_any_step_leaves_a_clear_outcome(
    url: str, ledger: Ledger, scope: str, file: Path, step: str
) -> None:
    process = started(url, scope, file, *step.split())
    process.communicate()
    assert process.returncode == -9
    before = payments(file)
    answer = paying.pay(ledger, scope, str(file))
    while answer == IN_FLIGHT:  # until the dead one's lease has passed, by the store's clock
        answer = paying.pay(ledger, scope, str(file))
    after = payments(file)
    if STEPS[step] == "again":
        assert (before, len(after), answer) == ([], 1, f"paid by {after[0]}")
    elif STEPS[step] == "replayed":
        assert (before, after, answer) == ([str(process.pid)], before, f"paid by {process.pid}")
    else:
        done = [str(process.pid)] if STEPS[step] == "unknown, done" else []
        assert (before, after, answer) == (done, done, UNKNOWN)
    assert paying.pay(ledger, scope, str(file)) == answer


def test_the_steps_at_which_a_process_is_killed_are_all_that_there_are(tmp_path: Path, scope: str, file: Path) -> None:
    deadly = paying.Deadly(open_store(f"sqlite:///{tmp_path / 'store.sqlite'}"), "")
    ledger = Ledger(deadly)
    paying.pay(ledger, scope, str(file))
    assert deadly._asked == 5
    ledger.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PrivateRedis]:
    (tmp_path / "redis").mkdir()
    with private_redis(tmp_path / "redis") as running:
        yield running


def test_a_redis_that_dies_while_a_call_runs(server: PrivateRedis, scope: str, tmp_path: Path) -> None:
    done: list[str] = []
    ledger, other = (Ledger(open_store(server.url), lease=3600) for _ in range(2))  # nobody beats but this test

    def effect(ref: str) -> str:
        done.append(ref)
        server.kill()
        return "paid"

    pay, elsewhere = (_tool(each, scope, effect) for each in (ledger, other))
    assert pay("a") == "paid"  # it is: nobody may say otherwise because of a store
    assert _answer(pay) == NO_STORE
    assert _answer(elsewhere) == NO_STORE
    server.start()
    assert _answer(elsewhere).startswith("CONFLICT: A call with the idempotency key a is still running")
    ledger.heartbeat.beat()
    assert elsewhere("a") == pay("a") == "paid"
    assert done == ["a"]
    for each in (ledger, other):
        each.close()


def test_a_redis_that_dies_with_the_process_leaves_an_unknown_outcome(
    server: PrivateRedis, scope: str, file: Path
) -> None:
    process = started(server.url, scope, file, "after", "effect")
    process.communicate()
    server.kill()
    server.start()
    ledger = Ledger(open_store(server.url))
    answer = paying.pay(ledger, scope, str(file))
    while answer == IN_FLIGHT:
        answer = paying.pay(ledger, scope, str(file))
    assert answer == UNKNOWN
    assert payments(file) == [str(process.pid)]
    ledger.close()


def test_without_its_store_no_effect_begins(server: PrivateRedis, scope: str) -> None:
    done: list[str] = []
    ledger = Ledger(open_store(server.url))

    def effect(ref: str) -> str:
        done.append(ref)
        return "paid"

    pay = _tool(ledger, scope, effect)
    server.kill()
    assert _answer(pay) == NO_STORE
    assert done == []
    server.start()
    assert pay("a") == pay("a") == "paid"
    assert done == ["a"]
    ledger.close()


def test_a_postgres_that_drops_the_connection_while_a_call_runs(postgres: str, scope: str) -> None:
    done: list[str] = []
    ledger = Ledger(open_store(postgres))

    def effect(ref: str) -> str:
        done.append(ref)
        _drop_connections(postgres)
        return "paid"

    pay = _tool(ledger, scope, effect)
    assert pay("a") == "paid"
    _drop_connections(postgres)
    assert pay("a") == "paid"
    assert done == ["a"]
    _drop_connections(postgres)
    assert pay("b") == "paid"
    assert done == ["a", "b"]
    ledger.close()


def _drop_connections(url: str) -> None:
    """End every other connection that was opened by this URL, which names this run of the tests."""
    with psycopg.connect(url, autocommit=True) as admin:
        dropped = admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND application_name = current_setting('application_name')"
        ).fetchall()
    assert (True,) in dropped


Tool = Callable[[str], str]


def _tool(ledger: Ledger, scope: str, effect: Tool) -> Tool:
    def pay(ref: str) -> str:
        return effect(ref)

    return idempotent("ref", ledger=ledger, scope=scope)(pay)


def _answer(pay: Tool) -> str:
    try:
        return pay("a")
    except ToolFault as fault:
        return f"{fault.code}: {fault.message}"


def test_an_end_that_cannot_be_written_is_logged_without_a_secret(
    store: Store, scope: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing:
        blocking = False
        broken = False

        def get(self, key: str) -> bytes | None:
            self._ask()
            return store.get(key)

        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            self._ask()
            return store.replace(key, old, new, ttl=ttl)

        def close(self) -> None: ...

        def _ask(self) -> None:
            if self.broken:
                raise StoreError("the store x does not answer", "check it")

    failing = Failing()
    ledger = Ledger(failing)

    def effect(ref: str) -> str:
        failing.broken = True
        return "paid"

    pay = _tool(ledger, scope, effect)
    assert pay("a") == "paid"
    assert [record.getMessage() for record in caplog.records] == [
        "The end of a call could not be written yet: the store x does not answer; check it"
    ]
    assert _answer(pay) == NO_STORE
    failing.broken = False
    assert pay("a") == "paid"
    ledger.forget(scope, "a")
    ledger.close()
