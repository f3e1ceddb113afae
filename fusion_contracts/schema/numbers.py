"""A number for some facts: bounds, multiples, values to avoid. Exact fractions throughout."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from fusion_contracts.schema.answer import NOTHING
from fusion_contracts.schema.formula import INTEGER, Space
from fusion_contracts.schema.trouble import Undecided
from fusion_contracts.schema.values import Number, ceil, exact, floor, is_number, json_number

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["solve"]

SCAN = 20_000  # multiples looked at before the question is left open
CHEAP = 16  # of them cost as much as one step
MOST_DIGITS = 17  # after the decimal point: as many as a binary float tells apart
NEARBY = 12  # decimals of each length that are looked at on either side
HALVES = 3  # one and a half is preferred where it fits


class Bounds:
    """What some facts say of a number."""

    def __init__(self, space: Space, facts: set[int]) -> None:
        self.low: tuple[Number, bool] | None = None  # (bound, strict)
        self.high: tuple[Number, bool] | None = None
        self.multiples: list[Number] = []
        self.never: list[Number] = []  # the number is no multiple of these
        self.excluded: set[Number] = set()
        for literal in facts:
            self._read(space, space.meaning[abs(literal)], positive=literal > 0)

    def _read(self, space: Space, meaning: tuple[Any, ...], *, positive: bool) -> None:
        kind = meaning[0]
        if kind == "mult":
            (self.multiples if positive else self.never).append(meaning[1])
        elif kind == "enum":
            self.excluded |= {exact(v) for v in map(space.values.__getitem__, meaning[1]) if is_number(v)}
        elif kind in ("min", "max"):
            self._bound(meaning[1], strict=meaning[2] is positive, lower=(kind == "min") is positive)

    def _bound(self, bound: Number, *, strict: bool, lower: bool) -> None:
        if lower and (self.low is None or (bound, strict) > self.low):
            self.low = (bound, strict)
        elif not lower and (self.high is None or (-bound, strict) > (-self.high[0], self.high[1])):
            self.high = (bound, strict)

    def admits(self, number: Number, *, whole: bool) -> bool:
        """Whether the number fits everything that was said."""
        if whole is not (number % 1 == 0) or number in self.excluded:
            return False
        if self.low is not None and (number < self.low[0] or (self.low[1] and number == self.low[0])):
            return False
        if self.high is not None and (number > self.high[0] or (self.high[1] and number == self.high[0])):
            return False
        return all(number % m == 0 for m in self.multiples) and not any(number % m == 0 for m in self.never)


def solve(solver: Solver, facts: set[int], kind: int) -> Any:
    """A whole number (kind INTEGER) or another (kind FRACTION) of which the signed facts hold, or NOTHING.

    Raises Undecided.
    """
    bounds = Bounds(solver.space, facts)
    whole = kind == INTEGER
    steps = [*bounds.multiples, 1] if whole else bounds.multiples
    step = _common(steps) if steps else None
    if step is not None and any(step % never == 0 for never in (bounds.never if whole else [*bounds.never, 1])):
        return NOTHING
    unwritable = False
    numbers = _dense(bounds) if step is None else _grid(bounds, step, whole=whole)
    for looks, number in enumerate(numbers, 1):
        if looks % CHEAP == 0:
            solver.spend()
        if number is None:
            unwritable = True
        elif bounds.admits(number, whole=whole):
            value = json_number(number)
            if value is not None:
                return value
            unwritable = True
    if unwritable:
        raise Undecided("no number with a short decimal form was found between the bounds")
    return NOTHING


def _common(steps: list[Number]) -> Number:
    """The least number that every step divides."""
    from fractions import Fraction  # costs milliseconds, and whole steps need none of it
    from math import gcd, lcm

    if all(isinstance(step, int) for step in steps):
        return lcm(*(int(step) for step in steps))
    parts = [Fraction(step) for step in steps]
    return Fraction(lcm(*(p.numerator for p in parts)), gcd(*(p.denominator for p in parts)))


def _grid(bounds: Bounds, step: Number, *, whole: bool) -> Iterator[Number | None]:
    """Multiples of `step` within the bounds, near 1 first, over one period of the exclusions; None: more are left."""
    low = None if bounds.low is None else ceil(_divide(bounds.low[0], step))
    high = None if bounds.high is None else floor(_divide(bounds.high[0], step))
    if low is not None and high is not None and low > high:
        return
    start = 1 if low is None else max(low, 1)
    start = start if high is None else min(start, high)
    wanted = 2 * _period(bounds, step, whole=whole) + len(bounds.excluded) + 4
    upward = wanted if high is None else min(wanted, high - start + 1)
    downward = wanted if low is None else min(wanted, start - low)
    for index in chain(range(min(upward, SCAN)), range(-1, -min(downward, SCAN) - 1, -1)):
        yield (start + index) * step
    if max(upward, downward) > SCAN:
        yield None


def _period(bounds: Bounds, step: Number, *, whole: bool) -> int:
    """After how many steps the exclusion of other multiples repeats itself."""
    period: Number = 1
    for other in bounds.never if whole else [*bounds.never, 1]:
        period = _common([period, _divide(_common([step, other]), step)])
    return int(period)


def _divide(number: Number, step: Number) -> Number:
    if step == 1:
        return number
    from fractions import Fraction  # see _common

    return Fraction(number) / Fraction(step)


def _dense(bounds: Bounds) -> Iterator[Number | None]:
    """Decimals between the bounds, short ones first. Only finitely many of each length are excluded."""
    from fractions import Fraction  # see _common

    low = None if bounds.low is None else bounds.low[0]
    high = None if bounds.high is None else bounds.high[0]
    if low is not None and high is not None and low >= high:
        if low == high:
            yield low
        return
    if low is None:
        low = -1 if high is None else min(high - 3, -1)
    if high is None:
        high = max(low + 3, 2)
    plain = 2 * low <= HALVES <= 2 * high
    for digits in range(1, MOST_DIGITS + 1):
        grid = 10**digits
        first, last = ceil(low * grid), floor(high * grid)
        middle = HALVES * grid // 2 if plain else (first + last) // 2
        for offset in range(NEARBY):
            for index in (middle + offset, middle - offset):
                if first <= index <= last:
                    yield Fraction(index, grid)
    yield None
