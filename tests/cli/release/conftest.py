"""Shared by the tests of `fusion release`: a lock to keep, and a package to write into."""

from __future__ import annotations

from typing import Any

import pytest
from releasing import relock


@pytest.fixture
def locked(project: Any, close_page: Any, list_pages: Any) -> Any:
    """A project with one locked server, `pages` 1.0.0."""
    relock(project, close_page, list_pages)
    return project


# --- into a package --------------------------------------------------------------------------------------------------


@pytest.fixture
def packaged(locked: Any, close_page: Any, close_page_v2: Any) -> Any:
    """A project with a package, whose lock took a value away since release 1.0.0 and has lost a tool."""
    locked.run("release", "1.0.0")
    relock(locked, close_page_v2)
    locked.write("src/pages_server/__init__.py", "")
    return locked
