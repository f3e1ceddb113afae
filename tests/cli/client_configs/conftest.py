"""Shared by the tests of client configurations: a project with one."""

from __future__ import annotations

from typing import Any

import pytest
from client_entries import config, entry

from tests.cli.conftest import Project


@pytest.fixture
def two(project: Project, close_page: Any, list_pages: Any) -> Project:
    """A configuration with two servers."""
    project.serve("pages", close_page, list_pages)
    project.serve("desk", list_pages)
    config(project, pages=entry(project, "pages"), desk=entry(project, "desk"))
    return project
