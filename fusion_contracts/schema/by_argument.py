"""Two roots that only list arguments, as nearly all do: the question falls apart into one for each argument.

Such a root takes an object that holds what it requires, no name that it rules out, and under each name a value that is
taken for itself. So the smallest object that shows a break holds what the old root requires and at most one argument
more. It is looked for in the order in which the tableau does, without formulas of the roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from fusion_contracts.schema.answer import NOTHING, Goal, attempt, first
from fusion_contracts.schema.build import Builder
from fusion_contracts.schema.closure import Closure
from fusion_contracts.schema.document import Document
from fusion_contracts.schema.plausible import shown
from fusion_contracts.schema.solve import Solver
from fusion_contracts.schema.trouble import Undecided

__all__ = ["Arguments", "Reason"]


class Reason(NamedTuple):
    """Why a root refuses an object: for want of a name (no formula), or for a value of which the formula is false."""

    name: str
    formula: int | None = None


class Arguments:
    """What the old root takes in the declared world, and the values of that which roots that follow it refuse.

    `why`: the reasons of the new root. `fixed`: whether a part says the same in each document in which it stands, which
    it does where there are no references.
    """

    def __init__(self, builder: Builder, solver: Solver, old: Any, new: Any, *, fixed: bool) -> None:
        self._builder, self._solver = builder, solver
        self._space = builder.space
        self._scope, self._closure = Document(old).scope, Closure(builder)
        self._needed = dict.fromkeys(old.get("required", ()))  # in order
        self._names = {*self._needed, *old["properties"]}
        self._fixed = old["properties"] if fixed else {}
        self._said: dict[str, Goal] = {}
        self.why = self.reasons(new)

    @property
    def size(self) -> int:
        """How many arguments there are."""
        return len(self._names)

    def _about(self, name: str) -> Goal:
        """What is said of the value under a name, without what is always so."""
        if name not in self._said:
            root = self._scope.root
            if name in root["properties"]:
                formula = self._builder.argument(self._scope, name, samples=True)
                said = {formula, self._closure.below(root["properties"][name], self._scope)}
            else:  # it is only required
                said = {self._space.false} if root.get("additionalProperties") is False else set()
            self._said[name] = Goal(said - {self._space.true})
        return self._said[name]

    def reasons(self, root: Any, *, samples: bool = False) -> list[Reason]:
        """Why a root might refuse what the old one takes, in the order in which the tableau goes through them."""
        scope = Document(root).scope
        found: list[Reason] = []
        for keyword in root:
            if keyword == "properties":
                for name, part in root["properties"].items():
                    if name in self._names and part is not self._fixed.get(name, NOTHING):
                        about = self._about(name)
                        formula = self._builder.argument(scope, name, samples=samples)
                        found += [Reason(name, formula)] if formula not in (*about, self._space.true) else []
            elif keyword == "required":
                found += [Reason(name) for name in dict.fromkeys(root["required"]) if name not in self._needed]
        if root.get("additionalProperties") is False:
            names = (*self._needed, *sorted(self._names - self._needed.keys()))
            found += [Reason(name, self._space.false) for name in names if name not in root["properties"]]
        return sorted(found, key=lambda reason: reason.name in self._names)  # first what nobody could send

    def refused(self, reasons: list[Reason], others: list[Reason] | None = None) -> Any:
        """An object that the old root takes and one or two others refuse for what stands under one name, or NOTHING.

        Raises Undecided.
        """
        if others is None:
            return first(attempt(self._with, reason) for reason in reasons)
        shared = set(others)
        return first(answer for reason in reasons for answer in self._together(reason, others, alone=reason in shared))

    def _together(self, reason: Reason, others: list[Reason], *, alone: bool) -> Iterator[Any]:
        """Objects that are refused for a reason and for each of another root's about the same name.

        `alone`: the other root has that reason too. What it refuses under another name has another cause: an object
        that shows both would blame this one for it.
        """
        found = attempt(self._with, reason)
        if alone or found is NOTHING:
            yield found
            return
        for other in others:
            if other.name == reason.name and None not in (reason.formula, other.formula):
                yield attempt(self._with, reason, other)

    def _with(self, *reasons: Reason) -> Any:
        """The smallest object that is refused for each of these reasons, or NOTHING. Raises Undecided."""
        self._solver.spend()
        false: dict[str, set[int]] = {}
        for name, formula in reasons:
            if formula is not None:
                false.setdefault(name, set()).add(-formula)
        values = {name: self._value(name, no) for name, no in false.items()}
        if NOTHING in values.values() or self._least is NOTHING:  # whatever else is open
            return NOTHING
        for value in {**self._open, **values}.values():
            if isinstance(value, Undecided):
                raise value
        return {**self._least, **values}

    @cached_property
    def _least(self) -> Any:
        """A value, or why it is not known, under each name that is required; NOTHING where one has none."""
        values = {name: self._value(name, ()) for name in self._needed}
        return NOTHING if NOTHING in values.values() else values

    @cached_property
    def _open(self) -> dict[str, Undecided]:
        return {name: value for name, value in self._least.items() if isinstance(value, Undecided)}

    def unread(self) -> dict[str, list[Any]]:
        """The arguments that every call holds and that cannot be read.

        With the values that the contract shows for each, as far as they fit what can be read.
        """
        if self._least is NOTHING:
            return {}
        properties = self._scope.root["properties"]
        examples = {name: shown(properties[name]) if isinstance(properties[name], dict) else [] for name in self._open}
        return {name: [value for value in values if self._may_be(name, value)] for name, values in examples.items()}

    def _may_be(self, name: str, value: Any) -> bool:
        return attempt(self._solver.evaluator.all_hold, self._about(name), value) is not False

    def _value(self, name: str, more: Iterable[int]) -> Any:
        """A value under a name, of which more holds beside what is said of it; NOTHING, or why that is not known."""
        return attempt(self._solver.solve, self._about(name).union(more), name=name)

    def breaks(self, value: Any, *roots: list[Reason]) -> bool:
        """Whether the old root takes a value, and each other one refuses it for one of its reasons, as we read them."""
        if not isinstance(value, dict) or not self._needed.keys() <= value.keys() <= self._names:
            return False
        evaluator = self._solver.evaluator
        return all(evaluator.all_hold(self._about(name), item) for name, item in value.items()) and all(
            any(self._applies(reason, value) for reason in reasons) for reasons in roots
        )

    def _applies(self, reason: Reason, value: dict[str, Any]) -> bool:
        if reason.formula is None or reason.name not in value:
            return reason.formula is None and reason.name not in value
        try:
            return not self._solver.evaluator.holds(reason.formula, value[reason.name])
        except Undecided:  # another reason may be a readable one
            return False
