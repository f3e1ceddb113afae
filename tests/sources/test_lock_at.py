"""Which lock a file is, or is a part of."""

from __future__ import annotations

import pytest

from fusion_contracts.sources.lock_at import lock_of


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
