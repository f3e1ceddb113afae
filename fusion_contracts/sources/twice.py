"""Listing a server twice, to find what its listings contain that is no part of the contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.base import Options, Reading, Source, silent
from fusion_contracts.sources.candidates import Candidate, volatile_candidates

__all__ = ["read_twice"]


def _nothing() -> None:
    """Do nothing."""


def read_twice(
    source: Source, options: Options, *, again: Callable[[], None] = _nothing
) -> tuple[Reading, list[Candidate]]:
    """The first reading of a source, and what differs in a second one.

    A live server is started afresh for the second, after a call of `again` and without saying so; a source that is not
    live is read once. Raises FusionError where the first reading does; a second that fails is a sentence.
    """
    first = source.read(options)
    if not source.live or not first.contracts:
        return first, []
    again()
    version = first.contracts[0].protocol_version
    try:
        second = source.read(replace(options, protocol_version=version, progress=silent))
    except FusionError as error:
        return first, [Candidate(f"a second listing failed: {error}")]
    return first, volatile_candidates(first, second)
