"""Shared by the tests of sources: the scripted servers, and quick options."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.stdio import StdioSource


@pytest.fixture(scope="session")
def servers(root: Path) -> Path:
    """The folder of scripted servers."""
    return root / "fixtures" / "servers"


@pytest.fixture
def scripted(servers: Path) -> Callable[..., StdioSource]:
    """Make the source of one scripted server: its file name and arguments."""

    def make(name: str, *arguments: str, **more: object) -> StdioSource:
        return StdioSource((sys.executable, str(servers / f"{name}.py"), *arguments), **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """An empty folder, and time enough for a slow machine: no test waits for this to pass."""
    return Options(root=tmp_path, timeout=30.0)
