"""Shared by the tests of the agent loop: an empty database."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

SERVER = "postgresql://root@127.0.0.1:5432/postgres"


@pytest.fixture
def postgres() -> Iterator[str]:
    """The URL of an empty database, dropped afterwards."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL was not tried")
    try:
        connection = psycopg.connect(SERVER, autocommit=True, connect_timeout=60)
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL at 127.0.0.1:5432 lets root in: PostgreSQL was not tried")
    name = f"fusion_test_{uuid4().hex}"
    with connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield SERVER.removesuffix("postgres") + name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
