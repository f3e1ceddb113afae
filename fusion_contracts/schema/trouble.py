"""Why a question about two schemas stays open."""

from __future__ import annotations

__all__ = ["Exhausted", "Undecided"]


class Undecided(Exception):  # noqa: N818 - an answer, not an error
    """The question cannot be answered; `reason` says why, in words for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Exhausted(Undecided):
    """The steps allowed for one question are used up."""
