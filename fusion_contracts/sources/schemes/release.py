"""A release that is kept beside the lock."""

from __future__ import annotations

from fusion_contracts.sources.base import Options, Source
from fusion_contracts.sources.release import ReleaseSource

__all__ = ["FORM", "source"]

FORM = "release:NAME"


def source(argument: str, options: Options) -> Source:  # noqa: ARG001 - of every kind
    """The source that `release:[SERVER/]NAME` names."""
    return ReleaseSource.parse(argument)
