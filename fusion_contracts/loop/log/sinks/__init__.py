"""Where entries go: one file a kind. Each takes batches, raises what goes wrong, and may be tried again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fusion_contracts.loop.log.entry import Entry

__all__ = ["Sink"]


class Sink(Protocol):
    """One place that entries are written to.

    `name` is what people are told of it, without secrets. A sink that is `direct` is called in the thread of the tool
    call, because it needs what is current there; the others in a thread of the log's own.
    """

    name: str
    direct: bool

    def write(self, entries: Sequence[Entry], /) -> None:
        """Write a batch, all or nothing. Raises whatever goes wrong; the next batch is tried all the same."""

    def close(self) -> None:
        """Let go of files and connections. May be followed by another `write`."""
