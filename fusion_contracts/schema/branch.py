"""One kind of value, and what is assumed of it: disjunctions are split until a theory can find a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fusion_contracts.schema import arrays, numbers, objects, strings
from fusion_contracts.schema.answer import NOTHING, Goal, attempt, first
from fusion_contracts.schema.clash import clash
from fusion_contracts.schema.expand import Option, expanded
from fusion_contracts.schema.formula import ARRAY, FRACTION, INTEGER, OBJECT, STRING, kind_of
from fusion_contracts.schema.trouble import Undecided

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["Branch"]

THEORIES = {
    STRING: strings.solve, INTEGER: numbers.solve, FRACTION: numbers.solve, OBJECT: objects.solve, ARRAY: arrays.solve,
}  # fmt: skip
FIRST = {STRING: "x", INTEGER: 1}  # what their theories try first, and what fits most goals
CHOOSING = frozenset({"any", "one", "if", "not", "ref"})  # may lead to a closed list, whose own values are wanted
CHEAP = 64  # looks at literals that cost as much as one step
FEW = 8  # looks at pairs of formulas that do
MANY = 4  # facts that a theory sorts for it


class Branch:
    """One kind of value, the facts assumed of it so far, and the choices that are still open."""

    def __init__(self, solver: Solver, goal: Goal, kind: int) -> None:
        self.solver = solver
        self.space = solver.space
        self.goal = goal
        self.kind = kind
        self.facts: set[int] = set()
        self.choices: list[tuple[Option, ...]] = []
        self.closed: list[frozenset[str]] = []  # the object has no names but those of each of these
        # what is said of the value under a name; a negation (below 0) says too that the name is there
        self.about: dict[str, tuple[int, ...]] = {}

    def run(self) -> Any:
        """A value of the kind for the goal, or NOTHING. Raises Undecided."""
        parts = [part for literal in self.goal for part in self.solver.conjuncts(literal)]
        listed = self._lists(parts)
        if listed:  # whatever else is said, it is said of these values
            return self._from_list(listed)
        if self.kind in FIRST and not any(part > 0 and self.space.meaning[part][0] in CHOOSING for part in parts):
            self.solver.spend()
            if attempt(self._fits, FIRST[self.kind]) is True:
                return FIRST[self.kind]
        return self._decide() if self._assume(self.goal) else NOTHING

    def _lists(self, literals: Iterable[int]) -> list[int]:
        """The closed lists of values among what is assumed."""
        return [literal for literal in literals if literal > 0 and self.space.meaning[literal][0] == "enum"]

    def _fork(self) -> Branch:
        other = Branch(self.solver, self.goal, self.kind)
        other.facts = set(self.facts)
        other.choices = list(self.choices)
        other.closed = list(self.closed)
        other.about = dict(self.about)
        return other

    def _assume(self, literals: Iterable[int]) -> bool:
        """Add facts, taking conjunctions apart; False when they contradict each other."""
        pending = list(literals)
        self.solver.spend(len(pending))
        while pending:
            literal = pending.pop()
            known = self._known(literal)
            if known is False:
                return False
            if known is None:
                self.facts.add(literal)
                self._note(literal)
                following, choices = expanded(self.solver, literal, self.kind)
                pending += following
                self.solver.spend(len(following))
                self.choices += choices
        return True

    def _note(self, literal: int) -> None:
        """Keep in mind what is said of a property, and which names are all that the object may have."""
        meaning = self.space.meaning[abs(literal)]
        if meaning[0] == "prop":
            formula = meaning[2] if literal > 0 else -meaning[2]
            self.about[meaning[1]] = (*self.about.get(meaning[1], ()), formula)
        elif literal > 0 and meaning[0] == "addl" and not meaning[2] and meaning[3] == self.space.false:
            self.closed.append(meaning[1])

    def _known(self, literal: int) -> bool | None:
        """Whether a literal is assumed to hold, to fail, or neither."""
        if -literal in self.facts or not self.space.may[literal] & self.kind:
            return False
        if literal in self.facts or not self.space.may[-literal] & self.kind:
            return True
        return None

    def _truth(self, literal: int) -> bool | None:
        """The same, looking into conjunctions and disjunctions."""
        known = self._known(literal)
        if known is not None:
            return known
        meaning = self.space.meaning[abs(literal)]
        if meaning[0] in ("prop", "req") and any(meaning[1] not in names for names in self.closed):
            return (meaning[0] == "prop") is (literal > 0)  # no value stands under this name
        if meaning[0] in ("and", "any"):
            return self._truth_of_parts(meaning, positive=literal > 0)
        if meaning[0] == "not":
            return self._truth(-meaning[1] if literal > 0 else meaning[1])
        if meaning[0] == "prop" and self.solver.careful:
            return self._truth_of_property(meaning[1], meaning[2], positive=literal > 0)
        return None

    def _truth_of_property(self, name: str, formula: int, *, positive: bool) -> bool | None:
        """What the other facts about a property leave for one more."""
        about = self.about.get(name, ())
        self.solver.spend(1 + len(about) // FEW)
        if any(other < 0 and self.solver.apart(formula, other) for other in about):
            return not positive
        if any(self.solver.apart(-formula, other) for other in about):
            return positive
        return None

    def _truth_of_parts(self, meaning: tuple[Any, ...], *, positive: bool) -> bool | None:
        conjunctive = (meaning[0] == "and") == positive
        unknown = False
        self.solver.look(len(meaning[1]))
        for part in meaning[1]:
            truth = self._truth(part if positive else -part)
            if truth is None:
                unknown = True
            elif truth is not conjunctive:
                return truth
        return None if unknown else conjunctive

    def _decide(self) -> Any:
        """Take choices with one option left, then split the narrowest; without any, ask the theory."""
        while self.choices:
            live = self._live()
            if live is None:
                return NOTHING
            settled = [options[0] for options in live if len(options) == 1]
            self.choices = [options for options in live if len(options) > 1]
            if not all(map(self._assume, settled)):
                return NOTHING
            if self.choices and not settled:
                narrow = min(self.choices, key=self._width if self.solver.careful else len)
                self.choices = [options for options in self.choices if options is not narrow]
                return first(self._split(narrow))
        if self.kind == OBJECT and clash(self.space, self.facts):
            return NOTHING
        return self._theory()

    def _width(self, options: tuple[Option, ...]) -> float:
        """How much is left to search after a choice: an option that states much counts for little."""
        return sum(2.0 ** -sum(map(self._weight, option)) for option in options)

    def _weight(self, literal: int) -> int:
        meaning = self.space.meaning[abs(literal)]
        return len(meaning[1]) if meaning[0] == ("and" if literal > 0 else "any") else 1

    def _live(self) -> list[tuple[Option, ...]] | None:
        """The choices that are still open, without options that cannot hold; None when one has none left."""
        live = []
        for options in self.choices:
            self.solver.spend(1 + sum(map(len, options)) // CHEAP)
            still_open = self._still_open(options)
            if still_open is None:
                continue
            if not still_open:
                return None
            live.append(still_open)
        return live

    def _still_open(self, options: tuple[Option, ...]) -> tuple[Option, ...] | None:
        """The options that may yet hold; None when one holds already."""
        still_open = []
        for option in options:
            truths = [self._truth(literal) for literal in option]
            if False in truths:
                continue
            if None not in truths:
                return None
            still_open.append(option)
        return tuple(still_open)

    def _split(self, options: tuple[Option, ...]) -> Iterator[Any]:
        if self.kind == OBJECT and clash(self.space, self.facts):
            return
        ruled_out: list[int] = []  # what was tried in vain need not be tried again together with a later option
        for option in options:
            answer = NOTHING if self._refuted(option) else self._under((*option, *ruled_out))
            yield answer
            if self.solver.careful and answer is NOTHING and len(option) == 1:
                ruled_out.append(-option[0])

    def _refuted(self, option: Option) -> bool:
        """Whether an option asks for a value of a property that all other facts about the property rule out."""
        meaning = self.space.meaning[abs(option[0])]
        if len(option) > 1 or option[0] > 0 or meaning[0] != "prop":
            return False
        self.solver.spend()
        goal = (*self.about.get(meaning[1], ()), -meaning[2])
        return attempt(self.solver.solve, goal, name=meaning[1]) is NOTHING

    def _under(self, literals: Option) -> Any:
        branch = self._fork()
        return attempt(branch._decide) if branch._assume(literals) else NOTHING

    def _theory(self) -> Any:
        self.solver.spend(1 + len(self.facts) // MANY)
        listed = self._lists(self.facts)
        if listed:
            return self._from_list(listed)
        unread = [literal for literal in self.facts if self.space.meaning[abs(literal)][0] == "opaque"]
        if not unread:
            return THEORIES[self.kind](self.solver, self.facts, self.kind)
        readable = self.facts.difference(unread)
        if attempt(THEORIES[self.kind], self.solver, readable, self.kind) is NOTHING:  # whatever else is said
            return NOTHING
        # the reason is the same in each run: what was read last, if it is to fail
        raise Undecided(self.space.meaning[abs(min(unread))][1])

    def _from_list(self, listed: list[int]) -> Any:
        keys = frozenset.intersection(*(self.space.meaning[literal][1] for literal in listed))
        for literal in self.goal:
            if literal < 0 and self.space.meaning[-literal][0] == "enum":
                keys -= self.space.meaning[-literal][1]
        values = [self.space.values[key] for key in keys]
        values.sort(key=lambda value: (len(repr(value)), repr(value)))
        self.solver.spend(len(values))
        return next((value for value in values if self._fits(value)), NOTHING)

    def _fits(self, value: Any) -> bool:
        return kind_of(value) == self.kind and self.solver.evaluator.all_hold(self.goal, value)
