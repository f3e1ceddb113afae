"""Shared by the tests of integrations: both ways to handle a call."""

from __future__ import annotations

import pytest
from handling import Way, asynchronous, synchronous


@pytest.fixture(params=[synchronous, asynchronous])
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found
