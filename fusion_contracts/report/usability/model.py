"""What a usability report says, as plain numbers. How they are counted stands with the queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal, TypeAlias, get_args

from fusion_contracts.record import record

__all__ = ["ENDINGS", "FORMATS", "Action", "Ending", "Healing", "Loops", "Period", "Report", "Span", "together"]

FORMATS = ("text", "markdown", "json", "html")
"""How a usability report can be written."""

Ending: TypeAlias = Literal["healed", "stopped", "open"]
"""How a loop ended: the action succeeded, a guard stopped it, or the run went on without."""

ENDINGS: tuple[Ending, ...] = get_args(Ending)


@record
class Healing:
    """Errors, and those after which the next call of the action in the run succeeded."""

    errors: int = 0
    healed: int = 0

    @property
    def rate(self) -> float | None:
        """The share that healed, 0 to 1; None where there was no error."""
        return self.healed / self.errors if self.errors else None

    def __add__(self, other: Healing) -> Healing:
        return Healing(self.errors + other.errors, self.healed + other.healed)


@record
class Loops:
    """Loops of one ending: how many, and the model calls after the first error.

    `tokens` are those of the `counted` loops, of which all are known.
    """

    number: int = 0
    model_calls: int = 0
    counted: int = 0
    tokens: int = 0

    @property
    def calls_each(self) -> float | None:
        """Model calls from the first error to the end, on average; None where there was no loop."""
        return self.model_calls / self.number if self.number else None

    @property
    def tokens_each(self) -> float | None:
        """Tokens from the first error to the end, on average; None where they are not known of any loop."""
        return self.tokens / self.counted if self.counted else None

    def __add__(self, other: Loops) -> Loops:
        return Loops(
            self.number + other.number,
            self.model_calls + other.model_calls,
            self.counted + other.counted,
            self.tokens + other.tokens,
        )


@record
class Action:
    """One action of one server; of several together the names are "".

    `calls` were let through, `errors` of them failed; `refused` calls were answered by a guard. `codes` are errors by
    code, `fields` errors by argument (one error may name several), the most first. `told` are the errors that told what
    changed, `untold` the others.
    """

    server: str = ""
    action: str = ""
    calls: int = 0
    errors: int = 0
    partial: int = 0
    empty: int = 0
    refused: int = 0
    codes: Mapping[str, Healing] = field(default_factory=dict)
    fields: Mapping[str, int] = field(default_factory=dict)
    told: Healing = Healing()
    untold: Healing = Healing()
    loops: Mapping[Ending, Loops] = field(default_factory=dict)

    @property
    def error_rate(self) -> float | None:
        """The share of calls that failed, 0 to 1; None where no call was let through."""
        return self.errors / self.calls if self.calls else None

    @property
    def healing(self) -> Healing:
        """All errors."""
        return self.told + self.untold

    def of(self, ending: Ending) -> Loops:
        """The loops of that ending."""
        return self.loops.get(ending, Loops())


@record
class Span:
    """A span of time: when it begins, in microseconds since 1970, and the calls and errors in it."""

    start_us: int
    calls: int
    errors: int


@record
class Period:
    """What a log says of one period or release.

    `since_us` and `until_us` are what was asked for, None for no limit; `first_us` and `last_us` the times of the first
    and the last call, None where there is none. `spans` are `step_us` long; those without a call are not there.
    """

    label: str
    since_us: int | None = None
    until_us: int | None = None
    first_us: int | None = None
    last_us: int | None = None
    runs: int = 0
    actions: tuple[Action, ...] = ()
    spans: tuple[Span, ...] = ()
    step_us: int = 1

    @property
    def total(self) -> Action:
        """All actions together."""
        return together(self.actions)


@record
class Report:
    """The report on a log: one period, or two to compare. `notes` are what a reader must know besides."""

    log: str
    periods: tuple[Period, ...]
    notes: tuple[str, ...] = ()

    @property
    def compares(self) -> bool:
        """Whether there are two periods."""
        return len(self.periods) > 1

    @property
    def servers(self) -> tuple[str, ...]:
        """The names of the servers, sorted."""
        return tuple(sorted({action.server for period in self.periods for action in period.actions}))


def together(actions: Iterable[Action]) -> Action:
    """The sum of actions."""
    found = list(actions)
    codes: dict[str, Healing] = {}
    fields: Counter[str] = Counter()
    loops: dict[Ending, Loops] = {}
    for one in found:
        fields.update(one.fields)
        for code, healing in one.codes.items():
            codes[code] = codes.get(code, Healing()) + healing
        for ending, loop in one.loops.items():
            loops[ending] = loops.get(ending, Loops()) + loop
    return Action(
        calls=sum(one.calls for one in found),
        errors=sum(one.errors for one in found),
        partial=sum(one.partial for one in found),
        empty=sum(one.empty for one in found),
        refused=sum(one.refused for one in found),
        codes=dict(sorted(codes.items(), key=lambda item: (-item[1].errors, item[0]))),
        fields=dict(sorted(fields.items(), key=lambda item: (-item[1], item[0]))),
        told=sum((one.told for one in found), Healing()),
        untold=sum((one.untold for one in found), Healing()),
        loops=loops,
    )
