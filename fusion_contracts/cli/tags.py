"""Which tags mark a release of a project: `v1.4.0`, `release-1.4.0`, and where there are such, `pages-v1.4.0`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from fusion_contracts.diff.version import Version

if TYPE_CHECKING:
    from fusion_contracts.sources.history import Tag

__all__ = ["highest", "of_releases"]

_PLAIN = re.compile(r"v?(\d+\.\d[^/@]*)")
_NAMED = re.compile(r"(.+)[-@/_]v?(\d+\.\d[^/@]*)")
_EVERYBODY = frozenset({"release", "releases", "rel", "version", "ver"})


def of_releases(tags: Iterable[Tag], names: Collection[str]) -> dict[Tag, str]:
    """The tags that mark releases, and the version that each says, which need not be a semantic one.

    In a repository of many packages those count that name this one by one of `names`; where none does, those without a
    name. A single number (`v2`) is a tag that moves, and marks none.
    """
    plain, ours = {}, {}
    for tag in tags:
        if found := _PLAIN.fullmatch(tag.name):
            plain[tag] = found[1]
        elif found := _NAMED.fullmatch(tag.name):
            if found[1] in names or found[1].rpartition("/")[2] in names:
                ours[tag] = found[2]
            elif found[1] in _EVERYBODY:
                plain[tag] = found[2]
    return ours or plain


def highest(tags: dict[Tag, str]) -> tuple[Tag, Version] | None:
    """The last release by its version; a pre-release only where there is no other. None where none can be compared."""
    found = []
    for tag, text in tags.items():
        try:
            found.append((tag, Version.parse(text)))
        except ValueError:
            continue
    return max(found, key=lambda one: (one[1].is_release, one[1], one[0].name), default=None)
