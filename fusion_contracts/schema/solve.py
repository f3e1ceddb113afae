"""Is there a value of which some formulas hold and others do not? Builds one, or proves that there is none.

A tableau: the goal is a set of signed formulas about one value. It is split by kind of value; within a kind,
disjunctions are split until only facts are left (branch.py), and a theory (strings.py, numbers.py, objects.py,
arrays.py) finds a value for these, asking this module about its parts. A goal that comes back on its own path has no
finite witness there (coinduction, answers.py). Every step counts against a budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from fusion_contracts.schema.answer import NOTHING, Goal, attempt, first
from fusion_contracts.schema.answers import OPEN, Answers
from fusion_contracts.schema.branch import Branch
from fusion_contracts.schema.clash import clash, meeting
from fusion_contracts.schema.evaluate import Evaluator
from fusion_contracts.schema.formula import ALL, ARRAY, BOOLEAN, KINDS, NULL, OBJECT, Space
from fusion_contracts.schema.plausible import plausible
from fusion_contracts.schema.trouble import Exhausted, Undecided

__all__ = ["Solver"]

ASIDE = 300  # steps for the question whether two formulas exclude each other
CHEAP = 64  # pairs of branches that cost as much to compare as one step
LOOKS = 8  # parts that cost as much to look at
FEW_BRANCHES = 8  # are compared each with each
MOST_PARTS = 30_000  # of a value
LARGEST_SAMPLE = 300  # parts; nobody reads a larger one at a glance
TEXT = 256  # characters that count for one more part
HOLDERS = OBJECT | ARRAY
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
        self._answers = Answers()
        self._apart: dict[tuple[int, int, int], bool] = {}
        self._rivals: dict[tuple[tuple[int, ...], int], list[list[int]]] = {}
        self._parts: dict[int, frozenset[int]] = {}
        self._shown: dict[tuple[str, int], list[Any]] = {}
        self._sampled: dict[tuple[Goal, str], Any] = {}
        self._looks = 0
        self._sizes: dict[int, tuple[int, Any]] = {}

    def spend(self, steps: int = 1) -> None:
        """Count steps against the budget. Raises Exhausted when it is used up."""
        self.budget -= steps
        if self.budget < 0:
            raise Exhausted("the schemas are too entangled to decide within the step limit")

    def look(self, parts: int) -> None:
        """Count parts of formulas that are looked at; so many are a step. Raises Exhausted."""
        self._looks += parts
        if self._looks >= LOOKS:
            self.spend(self._looks // LOOKS)
            self._looks %= LOOKS

    def solve(self, literals: Iterable[int], *, name: str | None = None) -> Any:
        """A value for the goal, or NOTHING where it is proved that there is none. Raises Undecided.

        `name`: the property whose value is asked for; samples that the contract shows for it are preferred.
        """
        goal = frozenset(map(self.space.meant, literals) if self.space.refers else literals)
        if any(-literal in goal for literal in goal):
            return NOTHING
        sample = self._sample(goal, name) if name is not None else NOTHING
        if sample is not NOTHING:
            return sample
        known = self._answers.known(goal)
        return self._search(goal) if known is OPEN else known

    def _search(self, goal: Goal) -> Any:
        self.spend()
        self._answers.ask(goal)
        value: Any = OPEN
        try:
            value = first(self._by_kind(goal))
        finally:
            self._answers.settle(goal, value)
        return value

    def _by_kind(self, goal: Goal) -> Iterator[Any]:
        kinds = ALL
        for literal in goal:
            kinds &= self.space.may[literal]
        for kind in KINDS:
            if kinds & kind:
                yield attempt(self._of_kind, goal, kind)

    def _of_kind(self, goal: Goal, kind: int) -> Any:
        if kind in FEW:
            return next((v for v in FEW[kind] if self.evaluator.all_hold(goal, v)), NOTHING)
        value = Branch(self, goal, kind).run()
        if kind & HOLDERS and value is not NOTHING:
            self.size(value)  # raises where it is too large for anybody to look at
        return value

    def size(self, value: Any) -> int:
        """How many parts a value has, itself among them. Raises Undecided where there are too many to look at.

        What this solver built may hold the same object in many places, which is looked at once.
        """
        if isinstance(value, str):
            return 1 + len(value) // TEXT
        if not isinstance(value, (dict, list)):
            return 1
        known = self._sizes.get(id(value))
        if known is None:
            size = 1 + sum(map(self.size, value.values() if isinstance(value, dict) else value))
            known = self._sizes[id(value)] = size, value  # which is kept: another one may come to lie there
        if known[0] > MOST_PARTS:
            raise Undecided(f"a value of more than {MOST_PARTS:,} parts was not built")
        return known[0]

    def _sample(self, goal: Goal, name: str) -> Any:
        """What the contract shows for a property, where that satisfies the goal; looked for once."""
        if (goal, name) not in self._sampled:
            self._sampled[goal, name] = self._fitting(goal, name)
        return self._sampled[goal, name]

    def _fitting(self, goal: Goal, name: str) -> Any:
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
            values = (value for schema in schemas for value in plausible(name, schema))
            known = self._shown[name, literal] = [value for value in values if self._is_sample(value)]
        return known

    def _is_sample(self, value: Any) -> bool:
        try:
            return self.size(value) <= LARGEST_SAMPLE
        except Undecided:
            return False

    def conjuncts(self, literal: int) -> frozenset[int]:
        """What a formula says, its conjunctions taken apart."""
        if literal not in self._parts:
            meaning = self.space.meaning[literal] if literal > 0 else ("none",)
            inner = meaning[1] if meaning[0] == "and" else ()
            self._parts[literal] = frozenset({literal}.union(*map(self.conjuncts, inner)))
        return self._parts[literal]

    def rivals(self, parts: tuple[int, ...], kinds: int) -> list[list[int]]:
        """For each of several formulas those, by their places, that may hold of the same value of some kinds."""
        key = parts, kinds
        if key not in self._rivals:
            if kinds == OBJECT and len(parts) > FEW_BRANCHES:
                pairs = meeting(self.space, [self.conjuncts(part) for part in parts])
            else:
                pairs = list(combinations(range(len(parts)), 2))
            self.spend((len(parts) + len(pairs)) // CHEAP)
            found: list[list[int]] = [[] for _ in parts]
            for i, j in pairs:
                if not self.apart(parts[i], parts[j], kinds):
                    found[i].append(j)
                    found[j].append(i)
            self._rivals[key] = found
        return self._rivals[key]

    def apart(self, left: int, right: int, kinds: int = ALL) -> bool:
        """Whether no value of some kinds satisfies both formulas (False when that is not cheap to say)."""
        kinds &= self.space.may[left] & self.space.may[right]
        key = (min(left, right), max(left, right), kinds)
        known = self._apart.get(key)
        if known is None:
            self._apart[key] = False  # inside a cycle: assume that they overlap
            known = self._apart[key] = self._disjoint(*key)
        return known

    def _disjoint(self, left: int, right: int, kinds: int) -> bool:
        if not kinds or (kinds == OBJECT and clash(self.space, {*self.conjuncts(left), *self.conjuncts(right)})):
            return True
        before = self.budget
        self.budget = granted = min(before, ASIDE)
        outer, self._answers = self._answers, self._answers.aside()
        try:
            return self.solve((left, right, self.space.make("type", kinds))) is NOTHING
        except Undecided:
            return False
        finally:
            self.budget = before - (granted - max(self.budget, 0))
            self._answers = outer
