"""The names that an object may have: those spoken of, and classes of all others by the patterns that they match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from fusion_contracts.schema.answer import NOTHING
from fusion_contracts.schema.formula import STRING
from fusion_contracts.schema.trouble import Undecided

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["Demand", "Finite", "Names"]

MOST_ONE_BY_ONE = 64  # a class with more names than this counts as endless
PLAUSIBLE = ("extra", "other", "x")  # tried before a search
EVERY: frozenset[Any] = frozenset()


class Demand(NamedTuple):
    """Some name of a kind has to be there, with a value of which `value` holds."""

    matching: frozenset[str] = EVERY
    beyond_names: frozenset[str] = EVERY
    beyond_patterns: frozenset[str] = EVERY
    name: frozenset[int] = EVERY  # signed formulas about the name itself
    value: frozenset[int] = EVERY

    @classmethod
    def of(cls, meaning: tuple[Any, ...]) -> Demand:
        """What the negation of a formula about names asks for."""
        if meaning[0] == "pat":
            return cls(matching=frozenset({meaning[1]}), value=frozenset({-meaning[2]}))
        if meaning[0] == "addl":
            return cls(beyond_names=meaning[1], beyond_patterns=meaning[2], value=frozenset({-meaning[3]}))
        return cls(name=frozenset({-meaning[1]}))


class Finite(Exception):  # noqa: N818 - a message between two steps, not an error
    """A class of names ran out: these are all it has."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self.names = names


class Names:
    """What facts say of an object's names as such."""

    def __init__(self, solver: Solver, known: Iterable[str]) -> None:
        self.solver = solver
        self.space = solver.space
        self.known = set(known)  # the names that are considered one by one
        self._patterned: list[tuple[str, int]] = []
        self._additional: list[tuple[frozenset[str], frozenset[str], int]] = []
        self._about_names: list[int] = []
        self._patterns: set[str] = set()

    def read(self, meaning: tuple[Any, ...], *, positive: bool) -> None:
        """Take up a fact of kind pat, addl or names."""
        if meaning[0] == "pat":
            self._patterns.add(meaning[1])
            if positive:
                self._patterned.append((meaning[1], meaning[2]))
        elif meaning[0] == "addl":
            self.known |= meaning[1]
            self._patterns |= meaning[2]
            if positive:
                self._additional.append((meaning[1], meaning[2], meaning[3]))
        elif positive:
            self._about_names.append(meaning[1])

    def allowed(self, name: str) -> bool:
        """Whether the object may have a name."""
        return self.solver.evaluator.all_hold(self._about_names, name)

    def serves(self, name: str, demand: Demand) -> bool:
        """Whether a name is of the kind that a demand asks for."""
        matches = self.solver.evaluator.matches
        return (
            name not in demand.beyond_names
            and all(matches(pattern, name) for pattern in demand.matching)
            and not any(matches(pattern, name) for pattern in demand.beyond_patterns)
            and self.solver.evaluator.all_hold(demand.name, name)
        )

    def about(self, name: str) -> set[int]:
        """What patternProperties and additionalProperties say of the value under a name."""
        matches = self.solver.evaluator.matches
        found = {formula for pattern, formula in self._patterned if matches(pattern, name)}
        for names, patterns, formula in self._additional:
            if name not in names and not any(matches(pattern, name) for pattern in patterns):
                found.add(formula)
        return found

    def fresh(self, taken: Collection[str], demand: Demand | None = None) -> Iterator[str]:
        """One new name of each class that can have a value. Raises Finite."""
        demand = demand or Demand()
        new = set(taken) - self.known
        for matching in self._classes(demand):
            self.solver.spend()
            if self.solver.solve(self._about_class(matching) | demand.value) is NOTHING:
                continue
            about = {*self._about_names, *demand.name, *self._signs(matching), self.space.make("type", STRING)}
            name = self._new(about, self.known | new)
            if name is not None:
                yield name
            elif new and self._new(about, self.known) is not None:
                raise Finite(self._all(about))

    def _classes(self, demand: Demand) -> Iterator[frozenset[str]]:
        if demand.matching & demand.beyond_patterns:
            return
        free = sorted(self._patterns - demand.matching - demand.beyond_patterns)
        for bits in range(1 << len(free)):
            yield demand.matching | {pattern for i, pattern in enumerate(free) if bits >> i & 1}

    def _about_class(self, matching: frozenset[str]) -> set[int]:
        facts = {formula for pattern, formula in self._patterned if pattern in matching}
        return facts | {formula for _, patterns, formula in self._additional if not patterns & matching}

    def _signs(self, matching: frozenset[str]) -> Iterator[int]:
        for pattern in sorted(self._patterns):
            formula = self.space.make("pattern", pattern)
            yield formula if pattern in matching else -formula

    def _new(self, about: set[int], taken: set[str]) -> str | None:
        """A name of which the facts hold, none of the taken ones."""
        for sample in (*PLAUSIBLE, f"x{len(taken)}"):
            if sample not in taken and self.solver.evaluator.all_hold(about, sample):
                return sample
        self.solver.spend(len(taken) // 8)  # looking for one more name is the dearer, the more are taken
        avoid = {-self.space.enum(sorted(taken))} if taken else set()
        name = self.solver.solve(about | avoid)
        return None if name is NOTHING else name

    def _all(self, about: set[int]) -> list[str]:
        names: set[str] = set()
        while len(names) <= MOST_ONE_BY_ONE:
            name = self._new(about, self.known | names)
            if name is None:
                return sorted(names)
            names.add(name)
        raise Undecided("an object needs more names than could be chosen one by one")
