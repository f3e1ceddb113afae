"""How often a call may be tried: the numbers of a retry guard."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """After how many failures a further call is answered without running the tool.

    `permanent`: failures of the same call (action and arguments) with an error that a retry cannot help; by default the
    second such call is not run. `transient`: failures of the same call with errors that a retry can help; by default
    the third is not run. `in_a_row`: failures of one action, one after the other, with the same code and failing
    fields, whatever the arguments; by default the fourth call is not run.

    `failures`: failed and refused calls of one run, all actions together; then no call of that run is run any more.
    `calls`: calls of one run, successes too; None for any number (a number costs a write for each call).

    `window`: seconds after which a failure counts no more, and a run of which nothing is heard is forgotten.

    Raises ValueError on a number below 1, and on a window that is not finite and above 0.
    """

    permanent: int = 1
    transient: int = 2
    in_a_row: int = 3
    failures: int = 25
    calls: int | None = None
    window: float = 3600.0

    def __post_init__(self) -> None:
        if not (self.window > 0 and math.isfinite(self.window)):
            raise ValueError(f"window must be a finite number of seconds above 0, not {self.window!r:.40}")
        for each in fields(self):
            number = getattr(self, each.name)
            if each.name == "window" or (each.name == "calls" and number is None):
                continue
            if type(number) is not int or number < 1:
                raise ValueError(f"{each.name} must be a whole number from 1, not {number!r:.40}")
