"""Fixtures of every store, which the conftest of a folder imports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import postgres_url, redis_url

from fusion_contracts.loop.stores import Store, open_store

KINDS = ("memory", "sqlite", "redis", "postgres")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL with a schema of its own."""
    with postgres_url() as url:
        yield url


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of a store of each kind."""
    if kind == "redis":
        return redis_url()
    if kind == "postgres":
        return str(request.getfixturevalue("postgres"))
    return {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path / 'store.sqlite'}"}[kind]


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()
