"""An array for some facts: its length, which place serves which need, and a value for each place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

from fusion_contracts.schema.answer import NOTHING, Goal, attempt, first
from fusion_contracts.schema.distinct import matching
from fusion_contracts.schema.formula import Space
from fusion_contracts.schema.trouble import Exhausted, Undecided

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["differs", "solve"]

MOST_ITEMS = 10_000


def differs(space: Space, value: list[Any]) -> Iterator[tuple[int, ...]]:
    """The ways in which an array can differ from one."""
    length = len(value)
    yield (space.make("minitems", length + 1),)
    if length:
        yield (space.make("maxitems", length - 1),)
    for index, item in enumerate(value):
        other = space.make("prefix", index, space.make("not", space.enum([item])))
        yield (space.make("minitems", index + 1), other)


def solve(solver: Solver, facts: set[int], _kind: int) -> Any:
    """An array of which the signed facts hold, or NOTHING. Raises Undecided."""
    return Arrays(solver, facts).solve()


class Arrays:
    """The facts about one array, sorted."""

    def __init__(self, solver: Solver, facts: set[int]) -> None:
        self.solver = solver
        self.space = solver.space
        self.prefix: dict[int, list[int]] = {}
        self.items: list[tuple[int, int]] = []
        self.contains: list[tuple[int, int, int | None]] = []
        self.least = 0
        self.most: int | None = None
        self.unique, self.repeated = False, False
        self.demands: list[tuple[int, int]] = []  # (first index, formula that must fail there or later)
        for literal in sorted(facts, key=abs):
            self._read(self.space.meaning[abs(literal)], positive=literal > 0)
        starts = [index + 1 for index in self.prefix]
        starts += [start for start, _ in (*self.items, *self.demands)]
        self.head = max(starts, default=0)  # from here on every place is like the next

    def _read(self, meaning: tuple[Any, ...], *, positive: bool) -> None:
        kind = meaning[0]
        if kind in ("minitems", "maxitems"):
            self._count(kind, meaning[1], positive=positive)
        elif kind == "unique":
            self.unique, self.repeated = self.unique or positive, self.repeated or not positive
        elif kind == "contains" and positive:
            self.contains.append(meaning[1:])
        elif kind == "prefix":
            self.prefix.setdefault(meaning[1], []).append(meaning[2] if positive else -meaning[2])
            if not positive:
                self.least = max(self.least, meaning[1] + 1)
        elif kind == "items":
            (self.items if positive else self.demands).append((meaning[1], meaning[2]))

    def _count(self, kind: str, bound: int, *, positive: bool) -> None:
        if (kind == "minitems") == positive:
            self.least = max(self.least, bound if positive else bound + 1)
        else:
            most = bound if positive else bound - 1
            self.most = most if self.most is None else min(self.most, most)

    def solve(self) -> Any:
        """An array, or NOTHING. Past the places that are needed, one more never helps: lengths are bounded."""
        if (self.unique and self.repeated) or (self.most is not None and self.least > self.most):
            return NOTHING
        needed = self.head + len(self.demands) + sum(least for _, least, _ in self.contains) + 2 * self.repeated
        longest = max(self.least, needed)
        longest = longest if self.most is None else min(longest, self.most)
        if self.least > MOST_ITEMS:
            raise Undecided(f"an array of {self.least} items was not built")
        return first(self._of_length(range(self.least, longest + 1)))

    def _of_length(self, lengths: range) -> Iterator[Any]:
        for length in lengths:
            self.solver.spend()
            for pair in self._pairs(length):
                yield attempt(Layout(self, length, pair).fill)

    def _pairs(self, length: int) -> Iterator[tuple[int, int] | None]:
        """The places that hold equal values, where two have to; alike places stand for each other."""
        if not self.repeated:
            yield None
        else:
            yield from combinations(range(min(length, self.head + 2)), 2)

    def about(self, index: int) -> Goal:
        """What the value at a place must satisfy."""
        return frozenset(self.prefix.get(index, ())) | {formula for start, formula in self.items if start <= index}


class Layout:
    """One length, and the two places that are equal if some must be."""

    def __init__(self, arrays: Arrays, length: int, pair: tuple[int, int] | None) -> None:
        self.arrays = arrays
        self.solver = arrays.solver
        self.length = length
        alone: list[tuple[int, ...]] = [(index,) for index in range(length) if pair is None or index not in pair]
        self.slots = alone if pair is None else [pair, *alone]
        self._failed: set[tuple[Any, ...]] = set()

    def fill(self) -> Any:
        """The array, or NOTHING. Raises Undecided."""
        none_yet = tuple(0 for _ in self.arrays.contains)
        found = self._place(0, frozenset(range(len(self.arrays.demands))), none_yet, ())
        if found is None:
            return NOTHING
        values: list[Any] = [None] * self.length
        for slot, value in zip(self.slots, found, strict=True):
            for index in slot:
                values[index] = value
        return values

    def _place(
        self, at: int, demands: frozenset[int], counts: tuple[int, ...], goals: tuple[Goal, ...]
    ) -> list[Any] | None:
        """Give each slot its goal, then the values: None where no way leads to any."""
        if at == len(self.slots):
            return self._values(goals) if not demands and self._enough(counts) else None
        state = (demands, counts, at)  # where items need not differ, all that the rest depends on
        if state in self._failed:
            return None
        trouble: Undecided | None = None
        for goal, served, counted in self._ways(at, demands, counts):
            try:
                if self.solver.solve(goal) is NOTHING:
                    continue
                found = self._place(at + 1, demands - served, counted, (*goals, goal))
            except Exhausted:
                raise
            except Undecided as problem:
                trouble = trouble or problem
                continue
            if found is not None:
                return found
        if trouble is not None:
            raise trouble
        if not self.arrays.unique:
            self._failed.add(state)
        return None

    def _ways(
        self, at: int, demands: frozenset[int], counts: tuple[int, ...]
    ) -> Iterator[tuple[Goal, frozenset[int], tuple[int, ...]]]:
        """The goals that a slot may have: with the demands that it serves, and the counts of `contains` after it."""
        slot = self.slots[at]
        for served in self._servings(demands, slot):
            for inside in _signs(len(self.arrays.contains)):
                self.solver.spend()
                counted = self._count(counts, inside, len(slot))
                if counted is not None:
                    yield self._goal(slot, served, inside), served, counted

    def _servings(self, demands: frozenset[int], slot: tuple[int, ...]) -> Iterator[frozenset[int]]:
        able = sorted(d for d in demands if any(index >= self.arrays.demands[d][0] for index in slot))
        for size in range(len(able), -1, -1):
            yield from map(frozenset, combinations(able, size))

    def _count(self, counts: tuple[int, ...], inside: tuple[bool, ...], weight: int) -> tuple[int, ...] | None:
        counted = []
        for so_far, counts_here, (_, least, most) in zip(counts, inside, self.arrays.contains, strict=True):
            total = so_far + weight * counts_here
            if most is not None and total > most:
                return None
            counted.append(total if most is not None else min(total, least))
        return tuple(counted)

    def _enough(self, counts: tuple[int, ...]) -> bool:
        return all(count >= least for count, (_, least, _) in zip(counts, self.arrays.contains, strict=True))

    def _goal(self, slot: tuple[int, ...], served: frozenset[int], inside: tuple[bool, ...]) -> Goal:
        goal: Goal = frozenset().union(*(self.arrays.about(index) for index in slot))
        goal |= {-self.arrays.demands[d][1] for d in served}
        return goal | {f if counts else -f for counts, (f, _, _) in zip(inside, self.arrays.contains, strict=True)}

    def _values(self, goals: tuple[Goal, ...]) -> list[Any] | None:
        if self.arrays.unique:
            return matching(self.solver, goals)
        return [self.solver.solve(goal) for goal in goals]


def _signs(count: int) -> Iterator[tuple[bool, ...]]:
    for bits in range(1 << count):
        yield tuple(bool(bits >> i & 1) for i in range(count))
