"""The servers that tests of stores use: on loopback, or where FUSION_TEST_REDIS and FUSION_TEST_POSTGRES say."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import pytest

REDIS = ("redis://127.0.0.1:6379/0",)
POSTGRES = ("postgresql:///postgres", "postgresql://postgres@127.0.0.1:5432/postgres")


def missing(variable: str, what: str) -> NoReturn:
    """Skip; where the variable is set, as in CI, fail."""
    if os.environ.get(variable):
        pytest.fail(what)
    pytest.skip(what)


def _places(variable: str, default: tuple[str, ...]) -> tuple[str, ...]:
    said = os.environ.get(variable, "")
    return (said,) if ":" in said else default


def redis_url() -> str:
    """The URL of a Redis that answers."""
    from redis import Redis, RedisError

    for url in _places("FUSION_TEST_REDIS", REDIS):
        with Redis.from_url(url, socket_connect_timeout=60) as client:
            try:
                client.ping()
            except RedisError:
                continue
        return f"{url}{'&' if '?' in url else '?'}socket_timeout=60&socket_connect_timeout=60"
    missing("FUSION_TEST_REDIS", "no Redis answers on loopback: its store was not tested")


@contextmanager
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL that answers, with an empty schema of its own."""
    import psycopg

    for url in _places("FUSION_TEST_POSTGRES", POSTGRES):
        try:
            connection = psycopg.connect(url, autocommit=True, connect_timeout=60)
        except psycopg.OperationalError:
            continue
        schema = f"fusion_test_{uuid.uuid4().hex}"
        with connection:
            connection.execute(f"CREATE SCHEMA {schema}".encode())
            more = f"options=-csearch_path%3D{schema}&application_name={schema}&connect_timeout=60"
            yield f"{url}{'&' if '?' in url else '?'}{more}"
            connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())
        return
    missing("FUSION_TEST_POSTGRES", "no PostgreSQL answers on loopback: its store was not tested")


def _free_port() -> int:
    """A free port below those that systems give by themselves: nobody has it before the server is up, or up again."""
    while True:
        port = random.randint(10_000, 30_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


class PrivateRedis:
    """A Redis of a test's own, that writes each change to disk before it answers, and can be killed and started."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0?socket_timeout=60"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and come back when it answers."""
        command = shutil.which("redis-server")
        if command is None:
            missing("FUSION_TEST_REDIS", "there is no redis-server on the path: a Redis that dies was not tested")
        settings = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        settings += ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        self._process = subprocess.Popen([command, *settings], stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if b"Ready to accept connections" in line:
                return
        raise AssertionError("redis-server ended before it was ready")

    def kill(self) -> None:
        """End it as a loss of power would: nothing is said to anybody."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@contextmanager
def private_redis(folder: Path) -> Iterator[PrivateRedis]:
    """One that is started, and gone afterwards."""
    server = PrivateRedis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
