"""Which lock a file is, or is a part of."""

from __future__ import annotations

import pytest

from fusion_contracts.sources.lock_at import is_kept, lock_of


@pytest.mark.parametrize(
    ("file", "lock"),
    [
        ("fusion.lock", "fusion.lock"),
        ("a/fusion.lock", "a/fusion.lock"),
        ("a/fusion.lock.d/pages.lock", "a/fusion.lock"),
        ("fusion.lock.d/fusion.lock", "fusion.lock"),  # a server of that name
        ("a/team.lock.d/pages.lock", "a/team.lock"),
        ("conf.d/fusion.lock", "conf.d/fusion.lock"),
        ("conf.d/fusion.lock.d/pages.lock", "conf.d/fusion.lock"),
    ],
)
def test_a_part_belongs_to_the_lock_that_its_folder_is_named_for(file: str, lock: str) -> None:
    assert lock_of(file) == lock


@pytest.mark.parametrize(
    ("file", "kept"),
    [
        (".fusion/releases/pages/1.0.lock", True),
        ("a/.fusion/releases/fusion.lock.d/1.0.lock", True),
        (".fusion/fusion.lock", False),  # a project may have its lock there
        ("my.fusion/releases/fusion.lock", False),
    ],
)
def test_a_lock_in_the_folder_of_releases_is_a_release(file: str, kept: bool) -> None:
    assert is_kept(file) is kept
