"""A lock, or a catalog, as a git revision holds it."""

from __future__ import annotations

from fusion_contracts.sources.base import Options, Source
from fusion_contracts.sources.git import GitSource

__all__ = ["FORM", "source"]

FORM = "git:REV[:PATH]"


def source(argument: str, options: Options) -> Source:  # noqa: ARG001 - of every kind
    """The source that `git:REV[:PATH]` names."""
    return GitSource.parse(argument)
