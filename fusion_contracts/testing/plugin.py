"""The pytest plugin: the option `--fusion-update` and the fixture `assert_contract`. Nothing is loaded until used."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from fusion_contracts import testing

__all__: list[str] = []

_OPTION = "--fusion-update"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("fusion-contracts", "contracts of tool servers")
    told = "Write what servers offer now into their locks, where assert_contract finds a difference."
    group.addoption(_OPTION, action="store_true", default=False, help=told)


def pytest_configure(config: pytest.Config) -> None:
    """Say to `assert_contract` how this run goes. Refuse to change locks in CI, where nobody would see it."""
    update = bool(config.getoption(_OPTION))
    if update:
        from fusion_contracts.cli.locking import in_ci

        if in_ci(os.environ):
            raise pytest.UsageError(f"{_OPTION} changes locks, and CI is set: run it elsewhere and commit the lock")
    testing.sessions.append(testing.Session(str(config.rootpath), update))


def pytest_unconfigure() -> None:
    """Forget this run."""
    if testing.sessions:
        testing.sessions.pop()


@pytest.fixture(name="assert_contract")
def _assert_contract() -> Callable[..., None]:
    """`fusion_contracts.testing.assert_contract`: fail where a server differs from its lock."""
    return testing.assert_contract
