"""What is written down of one call: that it began, and how it ended."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["Ending", "Record", "State"]

State: TypeAlias = Literal["begun", "ended", "unknown"]
"""`begun`: written before the effect. `ended`: the result is known. `unknown`: it failed where the effect may be."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended: `content` is what its result can be told by, or what is known of the failure."""

    state: Literal["ended", "unknown"]
    content: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One call: `token` is its holder's alone, `digest` stands for its arguments, `at` is when it began (Unix time)."""

    token: str
    digest: str
    at: float
    state: State = "begun"
    content: dict[str, Any] = field(default_factory=dict)

    def ended(self, ending: Ending) -> Record:
        """The same call, with its end."""
        return Record(self.token, self.digest, self.at, ending.state, ending.content)

    def encoded(self) -> bytes:
        """The record as the store holds it: JSON, the result's names in the order in which they came."""
        return json.dumps({"version": 1, **asdict(self)}, separators=(",", ":")).encode()

    @classmethod
    def decoded(cls, stored: bytes) -> Record:
        """The record of those bytes. Raises ValueError on what a newer release wrote."""
        fields = json.loads(stored)
        if fields.pop("version") != 1:
            raise ValueError("the record was written by a newer release of fusion-contracts: upgrade this process")
        return cls(**fields)
