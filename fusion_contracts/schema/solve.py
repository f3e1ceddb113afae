"""Is there a value of which some formulas hold and others do not? Builds one, or proves that there is none.

A tableau: the goal is a set of signed formulas about one value. It is split by kind of value; within a kind,
disjunctions are split until only facts are left (branch.py), and a theory (strings.py, numbers.py, objects.py,
arrays.py) finds a value for these, asking this module about its parts. A goal that comes back on its own path has no
finite witness there (coinduction). Every step counts against a budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fusion_contracts.schema.answer import NOTHING, Goal, attempt, first
from fusion_contracts.schema.branch import Branch
from fusion_contracts.schema.clash import clash
from fusion_contracts.schema.evaluate import Evaluator
from fusion_contracts.schema.formula import ALL, BOOLEAN, KINDS, NULL, OBJECT, Space
from fusion_contracts.schema.plausible import plausible
from fusion_contracts.schema.trouble import Exhausted, Undecided

__all__ = ["Solver"]

UNLEANING = 1 << 60
ASIDE = 300  # steps for the question whether two formulas exclude each other
FEW: dict[int, tuple[Any, ...]] = {NULL: (None,), BOOLEAN: (True, False)}


class Solver:
    """Answers goals over one space, remembering what it found.

    `careful`: look ahead before each choice. It costs more a step, and saves steps where many choices overlap.
    """

    def __init__(self, space: Space, *, budget: int = 20_000, careful: bool = False) -> None:
        self.space = space
        self.evaluator = Evaluator(space)
        self.budget = budget
        self.careful = careful
        self._found: dict[Goal, Any] = {}
        self._path: dict[Goal, int] = {}
        self._lowest = UNLEANING  # the highest goal on the path that a negative answer leans on
        self._apart: dict[tuple[int, int, int], bool] = {}
        self._parts: dict[int, frozenset[int]] = {}
        self._shown: dict[tuple[str, int], list[Any]] = {}

    def spend(self, steps: int = 1) -> None:
        """Count steps against the budget. Raises Exhausted when it is used up."""
        self.budget -= steps
        if self.budget < 0:
            raise Exhausted("the schemas are too entangled to decide within the step limit")

    def solve(self, literals: Iterable[int], *, name: str | None = None) -> Any:
        """A value for the goal, or NOTHING where it is proved that there is none. Raises Undecided.

        `name`: the property whose value is asked for; samples that the contract shows for it are preferred.
        """
        goal = frozenset(literals)
        if any(-literal in goal for literal in goal):
            return NOTHING
        sample = self._sample(goal, name) if name is not None else NOTHING
        if sample is not NOTHING:
            return sample
        if goal in self._found:
            return self._found[goal]
        if goal in self._path:
            self._lowest = min(self._lowest, self._path[goal])
            return NOTHING
        return self._search(goal)

    def _search(self, goal: Goal) -> Any:
        self.spend()
        depth = len(self._path)
        outer, self._lowest = self._lowest, UNLEANING
        self._path[goal] = depth
        try:
            value = first(self._by_kind(goal))
        finally:
            del self._path[goal]
            leans, self._lowest = self._lowest, outer
        if value is not NOTHING or leans >= depth:
            self._found[goal] = value
        else:
            self._lowest = min(outer, leans)
        return value

    def _by_kind(self, goal: Goal) -> Iterator[Any]:
        kinds = ALL
        for literal in goal:
            kinds &= self.space.may(literal)
        for kind in KINDS:
            if kinds & kind:
                yield attempt(self._of_kind, goal, kind)

    def _of_kind(self, goal: Goal, kind: int) -> Any:
        if kind in FEW:
            return next((v for v in FEW[kind] if self.evaluator.all_hold(goal, v)), NOTHING)
        return Branch(self, goal, kind).run()

    def _sample(self, goal: Goal, name: str) -> Any:
        values = (value for literal in goal for value in self._samples(name, literal))
        try:
            return next((value for value in values if self.evaluator.all_hold(goal, value)), NOTHING)
        except Undecided:
            return NOTHING

    def _samples(self, name: str, literal: int) -> list[Any]:
        """What the contract shows for a property of this formula, made when it is first asked for."""
        known = self._shown.get((name, literal))
        if known is None:
            schemas = self.space.shown.get((name, literal), ())
            known = self._shown[name, literal] = [value for schema in schemas for value in plausible(name, schema)]
        return known

    def conjuncts(self, literal: int) -> frozenset[int]:
        """What a formula says, its conjunctions taken apart."""
        if literal not in self._parts:
            meaning = self.space.meaning[literal] if literal > 0 else ("none",)
            inner = meaning[1] if meaning[0] == "and" else ()
            self._parts[literal] = frozenset({literal}.union(*map(self.conjuncts, inner)))
        return self._parts[literal]

    def apart(self, left: int, right: int, kinds: int = ALL) -> bool:
        """Whether no value of some kinds satisfies both formulas (False when that is not cheap to say)."""
        kinds &= self.space.may(left) & self.space.may(right)
        key = (min(left, right), max(left, right), kinds)
        known = self._apart.get(key)
        if known is None:
            self._apart[key] = False  # inside a cycle: assume that they overlap
            known = self._apart[key] = self._disjoint(*key)
        return known

    def _disjoint(self, left: int, right: int, kinds: int) -> bool:
        if not kinds or (kinds == OBJECT and clash(self.space, {*self.conjuncts(left), *self.conjuncts(right)})):
            return True
        before, self.budget = self.budget, min(self.budget, ASIDE)
        path, self._path = self._path, {}
        outer, self._lowest = self._lowest, UNLEANING
        try:
            return self.solve((left, right, self.space.make("type", kinds))) is NOTHING
        except Undecided:
            return False
        finally:
            self.budget = before - (ASIDE - max(self.budget, 0)) // 4
            self._path, self._lowest = path, outer
