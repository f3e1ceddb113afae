"""Versions: which are read, which is later, and what a bump makes of one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.diff.version import Bump, Version

NONE, PATCH, MINOR, MAJOR = Bump
NUMBER = st.integers(0, 30)
CORES = st.tuples(NUMBER, NUMBER, NUMBER).map(lambda core: ".".join(map(str, core)))
ENDS = st.sampled_from(["", "-alpha", "-alpha.1", "-rc.1", "rc1", ".dev4", "-0", "-a.b.c", "+build.7", "-rc.1+build"])
VERSIONS = st.builds(lambda core, end: Version.parse(core + end), CORES, ENDS)

IN_ORDER = [
    "0.0.1", "0.4.0", "1.0.0.dev3", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
    "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.0.post1", "1.0.1", "1.10.0", "2.0.0rc1", "2.0.0",
]  # fmt: skip


@pytest.mark.parametrize(("earlier", "later"), list(pairwise(IN_ORDER)))
def test_the_order_is_that_of_semver_org(earlier: str, later: str) -> None:
    assert Version.parse(earlier) < Version.parse(later)


@pytest.mark.parametrize(
    ("one", "other"),
    [("v1.4.0", "1.4.0"), ("1.4", "1.4.0"), ("1.4.0+exp.sha", "1.4.0"), ("2.0.0rc1", "2.0.0-rc.1"),
     ("2.0.0a1", "2.0.0-alpha.1"), ("2.0.0b2", "2.0.0-beta.2")],
)  # fmt: skip
def test_these_are_the_same(one: str, other: str) -> None:
    assert Version.parse(one) == Version.parse(other)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026.11.30", "is a calendar version, which says nothing of what breaks"),
        ("v1.4.0-3-g1a2b3c4", "is what git describe says of a commit between two releases"),
        ("1.4.0-3-g1a2b3c4-dirty", "is what git describe says of a commit between two releases"),
        *((text, "is no semantic version") for text in (
            "", "latest", "1", "v2", "01.2.3", "1.2.3.4", "1!2.0.0", "1.2.3-", "1.2.3 ", "1.2.3-rc..1", "\u0661.2.3",
            "1.2.3rc1.dev2", "1.2.3-" + "9" * 300, "9" * 19 + ".0.0", "1.2.3\n",
        )),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_says_why(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        Version.parse(text)


@pytest.mark.parametrize(
    ("before", "bump", "least", "needed"),
    [
        ("1.4.2", MAJOR, "2.0.0", MAJOR),
        ("1.4.2", MINOR, "1.5.0", MINOR),
        ("1.4.2", PATCH, "1.4.3", PATCH),
        ("1.4.2", NONE, "1.4.2", NONE),
        ("0.4.2", MAJOR, "0.5.0", MINOR),
        ("0.4.2", MINOR, "0.4.3", PATCH),
        ("0.4.2", PATCH, "0.4.3", PATCH),
        ("0.0.70", MAJOR, "0.0.71", PATCH),
        ("0.0.70", MINOR, "0.0.71", PATCH),
    ],
)
def test_the_least_that_would_do(before: str, bump: Bump, least: str, needed: Bump) -> None:
    version = Version.parse(before)
    assert (str(version.raised(bump)), version.needs(bump)) == (least, needed)


@pytest.mark.parametrize(
    ("before", "after", "bump"),
    [("1.4.0", "2.0.0-rc.1", MAJOR), ("0.4.0", "1.0.0", MAJOR), ("2.0.0-rc.1", "2.0.0-rc.2", MAJOR),
     ("2.0.0-rc.1", "2.0.0", MAJOR), ("1.4.0", "1.4.0", NONE), ("1.4.0", "3.0.0", PATCH)],
)  # fmt: skip
def test_these_moved_far_enough(before: str, after: str, bump: Bump) -> None:
    assert Version.parse(after).suffices(Version.parse(before), bump)


@pytest.mark.parametrize(
    ("before", "after", "bump"),
    [("1.4.0", "1.99.0", MAJOR), ("1.4.0", "1.4.0.post1", PATCH), ("1.4.0", "1.4.0", PATCH), ("1.4.0", "1.3.9", NONE),
     ("2.0.0-rc.1", "2.0.0-rc.1", PATCH), ("1.4.0", "1.5.0-rc.1", MAJOR), ("1.4.0", "1.4.0-rc.1", NONE)],
)  # fmt: skip
def test_these_did_not(before: str, after: str, bump: Bump) -> None:
    assert not Version.parse(after).suffices(Version.parse(before), bump)


@given(VERSIONS, st.sampled_from(Bump))
def test_the_least_suffices_and_a_greater_change_needs_no_less(version: Version, bump: Bump) -> None:
    least = version.raised(bump)
    assert least.suffices(version, bump)
    assert all(version.raised(lower) <= least for lower in Bump if lower <= bump)


@given(VERSIONS, VERSIONS, st.sampled_from(Bump))
def test_what_suffices_is_not_earlier_and_suffices_for_less(before: Version, after: Version, bump: Bump) -> None:
    if after.suffices(before, bump):
        assert after >= before or after.core == before.raised(bump).core
        assert all(after.suffices(before, lower) for lower in Bump if NONE < lower <= bump)
