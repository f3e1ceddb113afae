"""Every store keeps the one protocol."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import private_redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.loop.stores import OffLoop, Store, StoreError, open_store

PROCESSES = 16
ADDER = """
import sys
from fusion_contracts.loop.stores import open_store

store = open_store(sys.argv[1])
sys.stdin.read()  # all begin at once: when the parent closes the pipe
for _ in range(int(sys.argv[3])):
    while True:
        old = store.get(sys.argv[2])
        if store.replace(sys.argv[2], old, str(int(old or 0) + 1).encode()):
            break
store.close()
"""


@pytest.fixture
def key(store: Store) -> Iterator[str]:
    """A key that no other test uses; what stands there in the end is removed."""
    name = f"test:{uuid.uuid4()}"
    yield name
    while (standing := store.get(name)) is not None:
        store.replace(name, standing, None)


def test_a_value_is_created_changed_and_deleted_by_whoever_knows_it(store: Store, key: str) -> None:
    assert store.get(key) is None
    assert store.replace(key, None, None)
    assert not store.replace(key, b"a", b"b")
    assert not store.replace(key, b"a", None)
    assert store.replace(key, None, b"a")
    assert not store.replace(key, None, b"b")
    assert not store.replace(key, None, None)
    assert not store.replace(key, b"b", b"c")
    assert store.get(key) == b"a"
    assert store.replace(key, b"a", b"b")
    assert not store.replace(key, b"a", None)
    assert store.get(key) == b"b"
    assert store.replace(key, b"b", None)
    assert store.get(key) is None


@given(old=st.binary(max_size=300), new=st.binary(max_size=300), suffix=st.text(max_size=30))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_kept_under_any_text(store: Store, key: str, old: bytes, new: bytes, suffix: str) -> None:
    name = f"{key}{suffix}\0\ud800"
    assert store.replace(name, None, old)
    assert store.replace(name, old, new)
    assert store.get(name) == new
    assert store.replace(name, old, b"") is (old == new)
    assert store.replace(name, b"" if old == new else new, None)


@pytest.mark.parametrize("ttl", [0, -1, math.nan, math.inf])
def test_a_ttl_that_is_no_time_is_refused(store: Store, key: str, ttl: float) -> None:
    with pytest.raises(ValueError, match=r"^ttl must be a finite number of seconds above zero, not "):
        store.replace(key, None, b"a", ttl=ttl)
    assert store.get(key) is None


def test_a_value_whose_time_is_over_is_absent(store: Store, key: str) -> None:
    assert store.replace(key, None, b"a", ttl=0.001)
    while store.get(key) is not None:
        pass
    assert not store.replace(key, b"a", b"b")
    assert store.replace(key, None, None)
    assert store.replace(key, None, b"c", ttl=0.001)
    while not store.replace(key, None, b"d"):
        pass
    assert store.get(key) == b"d"


def test_each_write_says_anew_how_long_its_value_is_kept(store: Store, key: str) -> None:
    ttl = 0.2
    assert store.replace(key, None, b"a", ttl=ttl)
    while not store.replace(key, b"a", b"b"):  # a slow machine was too late
        assert store.get(key) is None
        ttl *= 4
        assert store.replace(key, None, b"a", ttl=ttl)
    assert store.replace(key + "2", None, b"z", ttl=ttl)
    while store.get(key + "2") is not None:
        pass
    assert store.get(key) == b"b"


def test_two_who_open_it_share_it(kind: str, url: str, store: Store, key: str) -> None:
    other = open_store(url)
    store.replace(key, None, b"a")
    assert other.get(key) == (None if kind == "memory" else b"a")
    other.close()


def test_a_closed_store_may_be_closed_again(url: str) -> None:
    store = open_store(url)
    store.close()
    store.get("test:closing")
    store.close()
    store.close()


def test_a_coroutine_uses_it_without_blocking_its_loop(store: Store, key: str) -> None:
    threads = set()

    class Watched:
        blocking = store.blocking

        def get(self, key: str) -> bytes | None:
            threads.add(threading.current_thread())
            return store.get(key)

        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            threads.add(threading.current_thread())
            return store.replace(key, old, new, ttl=ttl)

        def close(self) -> None: ...

    async def use() -> None:
        off = OffLoop(Watched())
        assert await off.replace(key, None, b"a", ttl=60)
        assert await off.get(key) == b"a"

    asyncio.run(use())
    assert (threading.current_thread() in threads) is not store.blocking


def test_of_many_threads_each_change_counts_once(store: Store, key: str) -> None:
    def add() -> None:
        for _ in range(10):
            while True:
                old = store.get(key)
                if store.replace(key, old, str(int(old or 0) + 1).encode()):
                    break

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get(key) == b"80"


@pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"], indirect=True)
def test_of_sixteen_processes_each_change_counts_once(url: str, store: Store, key: str) -> None:
    command = [sys.executable, "-c", ADDER, url, key, "5"]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(PROCESSES)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    assert [process.wait() for process in processes] == [0] * PROCESSES
    assert store.get(key) == str(PROCESSES * 5).encode()


FORKED = """
import os, sys
from fusion_contracts.loop.stores import open_store

store = open_store(sys.argv[1])
assert store.replace(sys.argv[2], None, b"parent")
child = os.fork()
if child == 0:
    made = store.replace(sys.argv[2], b"parent", b"child")
    os._exit(0 if made else 1)
assert os.waitpid(child, 0)[1] == 0
assert store.get(sys.argv[2]) == b"child"
store.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.parametrize("kind", ["sqlite", "redis", "postgres"], indirect=True)
def test_a_forked_child_has_a_connection_of_its_own(url: str, key: str) -> None:
    subprocess.run([sys.executable, "-c", FORKED, url, key], check=True)


def test_importing_the_stores_loads_no_driver() -> None:
    drivers = "{'redis', 'psycopg', 'sqlite3', 'asyncio'}"
    code = f"import sys, fusion_contracts.loop.stores; print({drivers} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("oracle://u:hidden@h/x", "no store is opened by oracle:; write memory:, sqlite:///PATH, "),
        ("store.sqlite", "a store's URL begins with its kind and a colon; write memory:, sqlite:///PATH, "),
        ("sqlite://store", "no store is opened by sqlite:; write memory:, "),
        ("sqlite:///", "sqlite:/// is no file of SQLite; write sqlite:///PATH, "),
        ("sqlite:///a?mode=ro", "sqlite:///a?mode=ro is no file of SQLite; write sqlite:///PATH, "),
        ("redis://u:hidden@h:port/0", "redis://u@h:port/0 is no URL of Redis; write redis://"),
        ("postgresql://u:hid/den@h/x", "postgresql is no URL of PostgreSQL; write postgresql://USER:"),
    ],
)
def test_a_url_that_opens_nothing_says_what_would(url: str, sentence: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert str(caught.value).startswith(sentence)
    assert "hidden" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("scheme", ["redis", "postgresql"])
def test_a_server_that_does_not_answer_is_named_without_its_password(scheme: str) -> None:
    store = open_store(f"{scheme}://user:se%63ret@127.0.0.1:1/0")
    for ask in (lambda: store.get("a"), lambda: store.replace("a", None, b"b")):
        with pytest.raises(StoreError) as caught:
            ask()
        sentence = str(caught.value)
        assert sentence.startswith(f"the store {scheme}://user@127.0.0.1:1/0 does not answer (")
        assert sentence.endswith("; check that it runs and can be reached")
        assert "secret" not in sentence
    assert "ret@" not in repr(store)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'missing' / 'store.sqlite'}")
    with pytest.raises(StoreError, match=r"^the store /.*store\.sqlite cannot be used \(.*No such file"):
        store.get("a")
    (tmp_path / "text").write_text("This is no database, and it is long enough for that to be seen." * 10)
    with pytest.raises(StoreError, match=r"^the store .*text cannot be used \(file is not a database\); check that "):
        open_store(f"sqlite:///{tmp_path / 'text'}").get("a")


def test_a_file_of_sqlite_is_its_owners_alone(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'a'}")
    store.replace("a", None, b"b")
    modes = {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    store.close()
    assert modes == {0o600}


@pytest.mark.parametrize("kind", ["memory", "sqlite"], indirect=True)
def test_the_clock_that_is_passed_in_decides_what_has_expired(url: str) -> None:
    now = [1000.0]
    store = open_store(url, clock=lambda: now[0])
    assert store.replace("a", None, b"b", ttl=60)
    now[0] += 59.9
    assert store.get("a") == b"b"
    now[0] += 0.2
    assert store.get("a") is None
    for number in range(600):  # what has expired is removed as others are written
        store.replace(f"k{number}", None, b"x", ttl=1)
        now[0] += 1
    assert _held(store) < 300
    store.close()


def _held(store: Store) -> int:
    from fusion_contracts.loop.stores.sqlite import SQLiteStore

    if isinstance(store, SQLiteStore):
        with store._connected() as line:
            return int(line.run("SELECT count(*) FROM fusion_store").fetchone()[0])
    return len(store._entries)  # type: ignore[attr-defined]  # memory's


def test_without_a_url_it_is_a_file_that_git_ignores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FUSION_STORE", raising=False)
    store = open_store()
    store.replace("a", None, b"b")
    store.close()
    folder = tmp_path / ".fusion" / "state"
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", "store.sqlite"]
    assert (folder / ".gitignore").read_text() == "*\n"
    monkeypatch.setenv("FUSION_STORE", "memory:")
    assert type(open_store()).__name__ == "MemoryStore"


def test_a_redis_that_may_throw_records_away_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from redis import Redis

    with private_redis(tmp_path) as server:
        for settings_ in ({"maxmemory-policy": "allkeys-lru"}, {"maxmemory": "100mb"}):
            with Redis.from_url(server.url) as client:
                for name, value in settings_.items():
                    client.config_set(name, value)
            store = open_store(server.url)
            store.get("a")
            store.get("a")
            store.close()
    place = server.url.partition("?")[0]
    sentence = (
        f"{place} evicts keys when its memory is full (allkeys-lru): an effect whose record is gone may happen twice; "
        "set maxmemory-policy to noeviction"
    )
    assert [record.getMessage() for record in caplog.records] == [sentence]
