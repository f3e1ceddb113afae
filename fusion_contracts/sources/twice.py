"""Listing a server twice, to find what its listings contain that is no part of the contract."""

from __future__ import annotations

from dataclasses import replace

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.base import Options, Reading, Source
from fusion_contracts.sources.volatile import volatile_candidates

__all__ = ["read_twice"]


def read_twice(source: Source, options: Options) -> tuple[Reading, list[str]]:
    """The first reading of a source, and what differs in a second one, a sentence each.

    A live server is started afresh for the second; a source that is not live is read once. Raises FusionError where
    the first reading does; a second that fails is a sentence.
    """
    first = source.read(options)
    if not source.live or not first.contracts:
        return first, []
    version = first.contracts[0].protocol_version
    try:
        second = source.read(replace(options, protocol_version=version))
    except FusionError as error:
        return first, [f"a second listing failed: {error}"]
    return first, volatile_candidates(first, second)
