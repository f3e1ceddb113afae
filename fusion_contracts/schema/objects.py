"""An object for some facts: which names it has, and a value for each.

Names that a fact speaks of are considered one by one. All other names fall into classes, by which patterns they match
(names.py): a fresh name of a class stands for the class. Where a class turns out to hold a few names only, these are
spoken of one by one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fusion_contracts.schema.answer import NOTHING, Goal, attempt, first
from fusion_contracts.schema.formula import Space
from fusion_contracts.schema.names import Demand, Finite, Names
from fusion_contracts.schema.trouble import Undecided

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["differs", "solve"]

MOST_NAMES = 10_000  # more are not built
Chosen = dict[str, Goal]  # names that the object has, and what their values must satisfy beside what holds of the name


def differs(space: Space, value: dict[str, Any]) -> Iterator[tuple[int, ...]]:
    """The ways in which an object can differ from one."""
    for name, item in value.items():
        sent = space.make("req", name)
        yield (-sent,)
        yield (sent, space.make("prop", name, space.make("not", space.enum([item]))))
    yield (-space.make("addl", frozenset(value), frozenset(), space.false),)


def solve(solver: Solver, facts: set[int], _kind: int) -> Any:
    """An object of which the signed facts hold, or NOTHING. Raises Undecided."""
    extra: set[str] = set()
    while True:
        try:
            return Objects(solver, facts, extra).solve()
        except Finite as finite:
            if finite.names and set(finite.names) <= extra:
                raise Undecided("the names that an object may have are too few to choose from") from None
            extra |= set(finite.names)


class Objects:
    """The facts about one object, sorted."""

    def __init__(self, solver: Solver, facts: set[int], extra: set[str]) -> None:
        self.solver = solver
        self.space = solver.space
        self.required: dict[str, set[int]] = {}
        self.absent: set[str] = set()
        self.properties: dict[str, list[int]] = {}
        self.least = 0
        self.most: int | None = None
        self.demands: list[Demand] = []
        self.names = Names(solver, extra)
        for literal in sorted(facts, key=abs):
            self._read(self.space.meaning[abs(literal)], positive=literal > 0)
        self.names.known |= self.properties.keys() | self.required.keys() | self.absent

    def _read(self, meaning: tuple[Any, ...], *, positive: bool) -> None:
        kind = meaning[0]
        if kind == "req":
            if positive:
                self.required.setdefault(meaning[1], set())
            else:
                self.absent.add(meaning[1])
        elif kind == "prop":
            if positive:
                self.properties.setdefault(meaning[1], []).append(meaning[2])
            else:
                self.required.setdefault(meaning[1], set()).add(-meaning[2])
        elif kind in ("minprops", "maxprops"):
            self._count(kind, meaning[1], positive=positive)
        elif kind in ("pat", "addl", "names"):
            self.names.read(meaning, positive=positive)
            if not positive:
                self.demands.append(Demand.of(meaning))

    def _count(self, kind: str, bound: int, *, positive: bool) -> None:
        if (kind == "minprops") == positive:
            self.least = max(self.least, bound if positive else bound + 1)
        else:
            most = bound if positive else bound - 1
            self.most = most if self.most is None else min(self.most, most)

    def solve(self) -> Any:
        """An object, or NOTHING."""
        if self.required.keys() & self.absent or (self.most is not None and len(self.required) > self.most):
            return NOTHING
        chosen: Chosen = {name: frozenset(extra) for name, extra in self.required.items()}
        unread: Undecided | None = None
        for name, extra in chosen.items():
            value = attempt(self._value, name, extra) if self.names.allowed(name) else NOTHING
            if value is NOTHING:  # whatever else is open
                return NOTHING
            if unread is None and isinstance(value, Undecided):
                unread = value
        answer = attempt(self._serve, 0, chosen)
        if isinstance(answer, Undecided):
            raise unread or answer
        return answer

    def _serve(self, index: int, chosen: Chosen) -> Any:
        """Choose a name for each demand in turn, then fill up."""
        return self._fill(chosen) if index == len(self.demands) else first(self._ways(index, chosen))

    def _ways(self, index: int, chosen: Chosen) -> Iterator[Any]:
        demand = self.demands[index]
        for name in self._candidates(demand, chosen):
            extra = chosen.get(name, frozenset()) | demand.value
            self.solver.spend()
            if self._value(name, extra) is not NOTHING:
                yield attempt(self._serve, index + 1, {**chosen, name: extra})

    def _candidates(self, demand: Demand, chosen: Chosen) -> Iterator[str]:
        """The names that may serve a demand: those that are there, then others that are spoken of, then fresh ones."""
        room = self.most is None or len(chosen) < self.most
        others = self._others(chosen) if room else []
        for name in (*chosen, *others):
            if self.names.serves(name, demand) and (name in chosen or self.names.allowed(name)):
                yield name
        if room:
            yield from self.names.fresh(chosen, demand)

    def _others(self, chosen: Chosen) -> list[str]:
        return sorted(self.names.known - chosen.keys() - self.absent)

    def _value(self, name: str, extra: Goal) -> Any:
        about = self.names.about(name) | set(self.properties.get(name, ()))
        return self.solver.solve(about | extra, name=name)

    def _fill(self, chosen: Chosen) -> Any:
        """Add names until there are enough, then give every name its value."""
        if self.most is not None and max(len(chosen), self.least) > self.most:
            return NOTHING
        if self.least > MOST_NAMES:
            raise Undecided(f"an object of {self.least} names was not built")
        chosen = dict(chosen)
        for name in self._others(chosen) if len(chosen) < self.least else ():
            if len(chosen) < self.least and self._can_have(name):
                chosen[name] = frozenset()
        while len(chosen) < self.least:
            self.solver.spend()
            fresh = next(self.names.fresh(chosen), None)
            if fresh is None:
                return NOTHING
            chosen[fresh] = frozenset()
        return {name: self._value(name, extra) for name, extra in chosen.items()}

    def _can_have(self, name: str) -> bool:
        return self.names.allowed(name) and self._value(name, frozenset()) is not NOTHING
