"""Which tags mark a release, and which of them is the last."""

from __future__ import annotations

import pytest

from fusion_contracts.cli.tags import highest, of_releases
from fusion_contracts.sources.history import Tag


def found(*names: str, project: tuple[str, ...] = ()) -> dict[str, str]:
    tags = [Tag(name, f"commit of {name}") for name in names]
    return {tag.name: version for tag, version in of_releases(tags, project).items()}


@pytest.mark.parametrize("name", ["1.4.0", "v1.4.0", "release-1.4.0", "release/v1.4.0", "rel_1.4.0", "version-1.4.0"])
def test_these_mark_a_release(name: str) -> None:
    assert found(name) == {name: "1.4.0"}


@pytest.mark.parametrize("name", ["v1", "latest", "nightly-2026-11-30", "other-v1.4.0", "release", "v1.4.0/x"])
def test_these_mark_none(name: str) -> None:
    assert found(name) == {}


@pytest.mark.parametrize(
    "name", ["pages-v1.4.0", "pages@1.4.0", "pages/v1.4.0", "@acme/pages@1.4.0", "packages/pages/v1.4.0"]
)
def test_a_tag_may_name_the_project(name: str) -> None:
    assert found(name, "other-v2.0.0", project=("pages",)) == {name: "1.4.0"}


def test_tags_that_name_the_project_hide_those_without_a_name() -> None:
    assert found("v9.0.0", "pages-v1.4.0", project=("pages",)) == {"pages-v1.4.0": "1.4.0"}
    assert found("v9.0.0", "other-v1.4.0", project=("pages",)) == {"v9.0.0": "9.0.0"}


@pytest.mark.parametrize(
    ("names", "last"),
    [
        (("v1.9.0", "v1.10.0"), "v1.10.0"),
        (("v1.4.0", "v2.0.0-rc.1"), "v1.4.0"),  # a pre-release promised nothing
        (("v2.0.0-rc.1", "v2.0.0-rc.2"), "v2.0.0-rc.2"),
        (("v1.4.0", "v2026.11.30"), "v1.4.0"),
        (("v2026.11.30",), None),
        ((), None),
    ],
)
def test_the_last_release_is_the_highest(names: tuple[str, ...], last: str | None) -> None:
    tags = of_releases([Tag(name, name) for name in names], ())
    one = highest(tags)
    assert (one and one[0].name) == last
