"""Shared by the tests of sources at a URL: options with a NAME, and an authority that nobody knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from fusion_contracts.sources.base import Options


@pytest.fixture
def options(options: Options) -> Options:
    """The shared ones, with a NAME, which is else made of the URL's host."""
    return replace(options, name="site")


# -- certificates --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """An authority that nobody knows."""
    return trustme.CA()


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    """The file of its certificate."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    return str(tmp_path / "authority.pem")
