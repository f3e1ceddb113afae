"""An environment with variables set beside it, of which only those variables go to another process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from fusion_contracts.record import record

__all__ = ["Beside"]


@record
class Beside(Mapping[str, str]):
    """`variables`, and below them an environment: that of the process which looks something up, unless one is given."""

    variables: Mapping[str, str] = field(repr=False)
    below: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __getitem__(self, name: str) -> str:
        return self.variables[name] if name in self.variables else self.below[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.below, **self.variables})

    def __len__(self) -> int:
        return len({**self.below, **self.variables})

    def __getstate__(self) -> tuple[Any, ...]:
        """What travels: all but the environment of this process."""
        below = self.below if isinstance(self.below, Beside) else dict(self.below)
        return dict(self.variables), None if self.below is os.environ else below

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Arrive, and find the environment that is here."""
        variables, below = state
        object.__setattr__(self, "variables", variables)
        object.__setattr__(self, "below", os.environ if below is None else below)
