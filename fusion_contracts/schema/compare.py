"""The question whether the new schema accepts every value that the old one accepted.

Equality up to annotations answers most pairs. Then the tableau of solve.py looks for a value that the old schema (and,
in the declared world, its closure) accepts and the new one refuses. What it finds is judged again by a validator that
is not ours, on the original schemas if it can. Where the tableau gives up, jsonschema-rs may still prove containment.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property, partial
from threading import Lock
from typing import Any, Literal

from fusion_contracts.record import record
from fusion_contracts.schema.answer import NOTHING
from fusion_contracts.schema.aside import aside, lists_arguments, with_values, without
from fusion_contracts.schema.build import Builder
from fusion_contracts.schema.by_argument import Arguments, Reason
from fusion_contracts.schema.closure import Closure
from fusion_contracts.schema.covers import covers
from fusion_contracts.schema.dialect import Untranslatable, dialect_of, read
from fusion_contracts.schema.dialect_keywords import LATEST
from fusion_contracts.schema.evaluate import Evaluator
from fusion_contracts.schema.formula import OBJECT, Space
from fusion_contracts.schema.identity import Identity
from fusion_contracts.schema.judge import Judge
from fusion_contracts.schema.shrink import shrink
from fusion_contracts.schema.solve import Solver
from fusion_contracts.schema.trouble import Exhausted, Undecided
from fusion_contracts.schema.ways import Ways, references

__all__ = ["TOO_DEEP", "Comparison", "Pair", "Side", "compare"]

QUICK, PATIENT = 4_000, 40_000  # steps before and after jsonschema-rs was asked
TOO_DEEP = "the schema is nested too deeply"
STEPS_PER_FACT, MOST_FOR_FACTS = 10, 60_000  # a large schema takes more steps,
STEPS_PER_PART = 2  # and without end only those that read it
CHEAP = 64  # parts of a conjunction that cost as much to judge a value by as one step of a search
DEEPEST = 20_000  # Python frames: a schema of a thousand levels takes some ten per level


@record
class Comparison:
    """The answer for a pair of schemas.

    `compatible` is proved; `incompatible` comes with a `witness`, a value that the old schema accepts and the new one
    refuses (`has_witness` tells it from a missing one: null is a value); `undecided` says why in `reason`.
    """

    verdict: Literal["compatible", "incompatible", "undecided"]
    has_witness: bool = False
    witness: Any = None
    reason: str = ""


def compare(old: Any, new: Any, *, world: str = "declared", dialect: str | None = None) -> Comparison:
    """Whether the new schema accepts every value that the old one accepted.

    `world` is `declared` (values hold only names that the old schema shows) or `open` (any value counts). `dialect`
    names the dialect of both schemas; without it each schema's `$schema` counts, else 2020-12. Never fetches a
    reference, never raises for what a schema says; takes bounded time.
    """
    with deep_recursion():
        try:
            pair = Pair(Side(old, dialect), Side(new, dialect), world=world, focused=True)
            return pair.comparison()
        except Undecided as trouble:
            return _unread(old, new, trouble.reason)
        except RecursionError:
            return Comparison("undecided", reason=TOO_DEEP)


def _unread(old: Any, new: Any, reason: str) -> Comparison:
    """The answer where a side cannot be read: the same text says the same, whatever it says."""
    return Comparison("compatible") if Identity().same(old, new) else Comparison("undecided", reason=reason)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for deep schemas: Python's own frames cost no C stack. The limit is one for all threads."""
    with _deep.lock:
        if not _deep.inside:
            _deep.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_deep.before, DEEPEST))
        _deep.inside += 1
    try:
        yield
    finally:
        with _deep.lock:
            _deep.inside -= 1
            if not _deep.inside:
                sys.setrecursionlimit(_deep.before)


class _Deep:
    """How many are inside of `deep_recursion`, in all threads, and the limit before the first of them."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.inside = self.before = 0


_deep = _Deep()


class Side:
    """A schema as written, its dialect, and its translation to 2020-12. Raises Undecided where there is none."""

    def __init__(self, schema: Any, dialect: str | None = None) -> None:
        self.written = schema
        self.dialect = dialect or dialect_of(schema)
        try:
            self.schema, self.refers = read(schema, self.dialect)
        except Untranslatable as trouble:
            where = f"{trouble.pointer}: " if trouble.pointer else ""  # at the root there is nothing to point at
            raise Undecided(f"{where}{trouble.reason}") from None
        self._judge = Judge(schema, self.dialect, self.schema)
        self._ways = Ways(self.schema) if self.refers else None

    def focused(self, aside: frozenset[str]) -> Side:
        """This side, whose judge does not read what stands under names that no value it is shown will hold."""
        return self._with(self.schema, self._judge.without(aside)) if aside else self

    @property
    def references(self) -> Iterator[str]:
        """The references of the translation, as they are written."""
        return references(self.schema) if self.refers else iter(())

    def reread(self, dialect: str) -> Callable[[], Any]:
        """How to read this side's text in another dialect. Raises Undecided when called, where it cannot be read."""
        return lambda: Side(self.written, dialect).schema

    def limited(self, schema: Any) -> Side:
        """This side with a narrower 2020-12 schema to reason about; values are still judged by the whole."""
        return self._with(schema, self._judge)

    def _with(self, schema: Any, judge: Judge) -> Side:
        other = Side.__new__(Side)  # copy() takes five times as long
        other.written, other.dialect, other.refers, other._ways = self.written, self.dialect, self.refers, self._ways
        other.schema, other._judge = schema, judge
        return other

    def accepts(self, value: Any) -> bool | None:
        """What jsonschema-rs says of a value, in the schema's own dialect where it knows that. Raises Undecided."""
        if self._ways is not None and self._ways.too_many(value):
            raise Undecided("its branches refer to each other in too many ways to judge a value by them")
        return self._judge.accepts(value)


class Pair:
    """Two sides in one space of formulas, ready for questions. `objects`: no value but an object counts at the root.

    `focused`: what no answer depends on is left out of the formulas; not for a pair that is to be `limited`.
    """

    def __init__(
        self, old: Side, new: Side, *, world: str = "declared", objects: bool = False, focused: bool = False
    ) -> None:
        self.identity = Identity()
        new = new.limited(self.identity.merged(old.schema, new.schema))
        focused = focused and world == "declared" and lists_arguments(old.schema) and lists_arguments(new.schema)
        fixed = focused and not (old.refers or new.refers)  # what a part says does not depend on its document
        self._aside = aside(old.schema, new.schema) if fixed and old.dialect == new.dialect else frozenset()
        self.old, self.new, self.objects = old.focused(self._aside), new.focused(self._aside), objects
        self.space = Space()
        self.builder = Builder(self.space)
        self._whole, self._world = without(old.schema, self._aside), world
        self.steps = 0  # of searches, and of judging values
        self._solver = Solver(self.space)  # what one question found serves the next
        self._arguments: Arguments | None = None
        self.unread: Mapping[str, list[Any]] = {}  # arguments; once `comparison` came upon them
        self._changed: set[str] = set()  # those of which more is asked now
        if focused and (objects or old.schema.get("type") == "object"):
            self._arguments = Arguments(self.builder, self._solver, old.schema, self.new.schema, fixed=fixed)

    @property
    def before(self) -> int:
        """The formula of the old side."""
        return self._formulas[0]

    @property
    def after(self) -> int:
        """The formula of the new side."""
        return self._formulas[1]

    @cached_property
    def _formulas(self) -> tuple[int, int]:
        """The old side first: what is tried first is what was read first. What both share is read once."""
        before, new = self.edited(self.old.schema), without(self.new.schema, self._aside)
        return before, self._narrowed(self.builder.document(new))

    @cached_property
    def closed(self) -> int:
        """The closure of the old side in the declared world, TRUE in the open one."""
        return Closure(self.builder).document(self._whole) if self._world == "declared" else self.space.true

    def limited(self, old: Any, new: Any) -> Pair:
        """This pair with narrower schemas to reason about. Names that the whole of the old side shows are declared."""
        closed = self.closed  # one for all
        other = copy(self)
        other.old, other.new, other.closed = self.old.limited(old), self.new.limited(new), closed
        other._formulas = self.edited(old), self._narrowed(self.builder.document(new))
        other._arguments = None
        return other

    def readable(self) -> Pair:
        """This pair with the values that the contract shows, or any, for each argument that is `unread`.

        What breaks in it breaks every call that worked. Raises Undecided where a reference leads to one of them, or one
        that does not say the same on both sides refers to something.
        """
        changed = self._changed & self.unread.keys()
        if any(self.identity.has_reference(self.old.schema["properties"][name]) for name in changed):
            raise Undecided("what cannot be read refers to something else")
        old, new = (Side(with_values(side.schema, self.unread), LATEST) for side in (self.old, self.new))
        if not all(ref.startswith(("#/$defs/", "#/definitions/")) for side in (old, new) for ref in side.references):
            raise Undecided("a reference may lead to what cannot be read")
        return Pair(old, new, world=self._world, objects=self.objects, focused=True)

    def comparison(self) -> Comparison:
        """The answer for the whole pair."""
        if self._arguments is not None:
            try:
                return self._by_reasons(self._arguments, self._arguments.why, budget=QUICK)
            except Undecided:
                with suppress(Undecided):
                    self.unread = self._arguments.unread()
                self._changed = {reason.name for reason in self._arguments.why if reason.formula is not None}
                self._arguments = None  # the tableau knows more ways
        if self.before == self.after:
            return Comparison("compatible")
        try:
            return self._decided(QUICK)
        except Undecided as trouble:
            reason, again = trouble.reason, isinstance(trouble, Exhausted)
        # jsonschema-rs knows one reading of everything
        if not self.builder.doubts and covers(self.space, self.old.schema, self.new.schema):
            return Comparison("compatible")
        if again:
            self._solver.careful = True  # the pair turned out to be hard
            try:
                return self._decided(PATIENT)
            except Undecided as trouble:
                reason = trouble.reason
        same = self.old.dialect == self.new.dialect and self.identity.same(self.old.written, self.new.written)
        return Comparison("compatible") if same else Comparison("undecided", reason=reason)

    def _decided(self, budget: int) -> Comparison:
        """The answer for the whole pair within a budget. A large pair has more."""
        space = self.space
        wide = max(space.widths, default=0) ** 2  # each branch is looked at beside each other one
        more = min(wide + STEPS_PER_FACT * len(space.meaning), MOST_FOR_FACTS)
        return self.answer((-self.after,), budget=budget + more + STEPS_PER_PART * space.parts)

    @property
    def work(self) -> int:
        """What all questions took so far, in steps of a search: reading counts too, patterns, and judging of values."""
        return self.steps + self.builder.reads + self.space.fuel.burnt

    def edited(self, schema: Any) -> int:
        """The formula of the old document after an edit; what it shares with the old document is read once.

        For an answer that depends on nothing else, `before` is asked for first.
        """
        return self._narrowed(self.builder.document(without(schema, self._aside), samples=True))

    def _narrowed(self, formula: int) -> int:
        return self.space.both([formula, self.space.make("type", OBJECT)]) if self.objects else formula

    def answer(self, goals: Iterable[int], *, budget: int, must_fail: bool = True) -> Comparison:
        """Whether some value of the old side satisfies the goals too. Raises Undecided.

        `must_fail`: a witness counts only when the new schema refuses it.
        """
        goal = {self.before, self.closed, *goals}
        value = self._found(partial(self._solver.solve, goal), budget)
        if value is NOTHING:
            return Comparison("compatible")
        if not must_fail:
            return Comparison("incompatible", has_witness=True, witness=value)
        look = 1 + sum(len(self._solver.conjuncts(literal)) for literal in goal) // CHEAP
        return self._shown(value, lambda value: Evaluator(self.space).all_hold(goal, value), look)

    def answer_by_argument(self, edited: Any, *, budget: int) -> Comparison | None:
        """The answer where the new schema refuses what the old one with an edit alone refuses too.

        None where the roots do more than list arguments. Raises Undecided.
        """
        arguments = self._arguments
        if arguments is None or not lists_arguments(edited):
            return None
        self.steps += arguments.size // CHEAP  # each is looked at
        return self._by_reasons(arguments, arguments.reasons(edited, samples=True), arguments.why, budget=budget)

    def _by_reasons(self, arguments: Arguments, *roots: list[Reason], budget: int) -> Comparison:
        value = self._found(partial(arguments.refused, *roots), budget + len(self.space.meaning))  # as in `_decided`
        if value is NOTHING:
            return Comparison("compatible")
        return self._shown(value, lambda value: arguments.breaks(value, *roots), 1 + arguments.size // CHEAP)

    def _found(self, question: Callable[[], Any], budget: int) -> Any:
        """What a question finds within a budget."""
        self._solver.budget = budget
        try:
            return question()
        finally:
            self.steps += budget - max(self._solver.budget, 0)

    def _shown(self, value: Any, ours: Callable[[Any], bool], look: int) -> Comparison:
        """The answer with the least value that breaks, if this one does. Raises Undecided where it does not."""
        look += self._solver.size(value) // CHEAP
        if not self.breaks(value, ours, look):
            raise Undecided(self._disagreement(value))
        return Comparison("incompatible", has_witness=True, witness=shrink(value, lambda v: self.breaks(v, ours, look)))

    def breaks(self, value: Any, ours: Callable[[Any], bool], look: int) -> bool:
        """Whether both readings say so: ours, and the old schema accepts and the new one refuses.

        `look`: the steps that it takes.
        """
        self.steps += look
        if self.old.accepts(value) is not True or self.new.accepts(value) is not False:  # at once; ours takes longer
            return False
        return ours(value)

    def _disagreement(self, value: Any) -> str:
        unread = [word for word, side in (("old", self.old), ("new", self.new)) if side.accepts(value) is None]
        if unread:
            return f"a second validator cannot read the {' and the '.join(unread)} schema"
        return "two validators do not agree on the value that was found"
