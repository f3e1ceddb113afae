"""A string for some facts: lengths, patterns, values to avoid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fusion_contracts.schema import language
from fusion_contracts.schema.answer import NOTHING
from fusion_contracts.schema.formula import Space
from fusion_contracts.schema.trouble import Undecided

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["solve"]


def solve(solver: Solver, facts: set[int], _kind: int) -> Any:
    """A string of which the signed facts hold, or NOTHING. Raises Undecided."""
    return Strings(solver.space, facts).solve()


class Strings:
    """The facts about one string, sorted."""

    def __init__(self, space: Space, facts: set[int]) -> None:
        self.fuel = space.fuel
        self.least = 0
        self.most: int | None = None
        self.patterns: list[str] = []
        self.never: list[str] = []  # patterns that must not match
        self.excluded: set[str] = set()
        for literal in facts:
            self._read(space, space.meaning[abs(literal)], positive=literal > 0)

    def _read(self, space: Space, meaning: tuple[Any, ...], *, positive: bool) -> None:
        kind = meaning[0]
        if kind == "pattern":
            (self.patterns if positive else self.never).append(meaning[1])
        elif kind == "enum":
            self.excluded |= {v for v in map(space.values.__getitem__, meaning[1]) if isinstance(v, str)}
        elif kind in ("minlen", "maxlen"):
            self._count(kind, meaning[1], positive=positive)

    def _count(self, kind: str, bound: int, *, positive: bool) -> None:
        if (kind == "minlen") == positive:
            self.least = max(self.least, bound if positive else bound + 1)
        else:
            most = bound if positive else bound - 1
            self.most = most if self.most is None else min(self.most, most)

    def solve(self) -> Any:
        """A string, or NOTHING."""
        if self.most is not None and self.most < self.least:
            return NOTHING
        positive, negative = sorted(self.patterns), sorted(self.never)
        least, most, excluded = self.least, self.most, self.excluded
        try:
            found = language.find(
                positive,
                negative,
                min_length=least,
                max_length=most,
                excluded=excluded,
                fuel=self.fuel,
                plausible=True,
            )
        except (language.Unsupported, language.Exhausted) as error:
            raise Undecided(self._trouble(error)) from None
        return NOTHING if found is None else found

    def _trouble(self, error: Exception) -> str:
        shown = ", ".join(repr(pattern) for pattern in sorted({*self.patterns, *self.never}))
        return f"pattern {shown}: {error}" if shown else f"a string of {self.least} characters was not built"
