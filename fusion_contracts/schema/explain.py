"""Which edits lead from one schema to the other, and what each does to the calls (or outputs) that worked.

The walk finds the edits. The decision procedure is then asked about each: is there a value that the old schema takes,
that the new one refuses, and that the old schema with this edit alone refuses too? Then the edit breaks, and the value
is its witness.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.aside import touches, with_values
from fusion_contracts.schema.changes import Edit, Place, SchemaChange
from fusion_contracts.schema.compare import QUICK, TOO_DEEP, Comparison, Pair, Side, deep_recursion
from fusion_contracts.schema.document import Document
from fusion_contracts.schema.evaluate import Evaluator
from fusion_contracts.schema.formula import OBJECT
from fusion_contracts.schema.locate import located
from fusion_contracts.schema.location import named
from fusion_contracts.schema.mirror import mirrored
from fusion_contracts.schema.shrink import smaller
from fusion_contracts.schema.trouble import Exhausted, Undecided
from fusion_contracts.schema.united import same_place, united
from fusion_contracts.schema.walk import Raw, walk

__all__ = ["Explanation", "explain", "explain_pair"]

MOST_EDITS = 400  # edits of one schema that are each asked about
MOST_WORK = 150_000  # of all these questions, in steps
NO_EDITS: Mapping[Hashable, Edit] = {}


class Explanation(NamedTuple):
    """The answer for a pair of schemas, and the edits that lead to it."""

    comparison: Comparison
    edits: tuple[Edit, ...]


def explain(  # noqa: PLR0913 - two sides, each with its dialect, and two ways to ask
    old: Any,
    new: Any,
    *,
    output: bool = False,
    arguments: bool = False,
    world: str = "declared",
    old_dialect: str | None = None,
    new_dialect: str | None = None,
) -> Explanation:
    """The edits from `old` to `new`, each with its effect, and the answer for the pair.

    With `output` the question is turned around: does the old schema, which readers learned, accept every value that
    the new one allows? Edits still tell the story from old to new; a witness is then an output of the new schema that
    old readers refuse. With `arguments` the values are arguments of a call, which are an object whatever the schemas
    say of other values. `world` and dialects as for `compare`. Never raises for what a schema says.
    """
    with deep_recursion():
        try:
            sides = Side(old, old_dialect), Side(new, new_dialect)
            if output:
                sides = sides[1], sides[0]
            pair = Pair(*sides, world=world, objects=arguments, focused=True)
            explanation = explain_pair(pair, output=output)
        except Undecided as trouble:
            return _unread(old, new, trouble.reason)
        except RecursionError:
            return _unread(old, new, TOO_DEEP)
    if not output:
        return explanation
    edits = tuple(edit._replace(change=mirrored(edit.change)) for edit in explanation.edits)
    return Explanation(explanation.comparison, edits)


def _unread(old: Any, new: Any, reason: str) -> Explanation:
    place = Place("", "", "")
    change = facts.SchemaReplaced(place=place, before=old, after=new)
    return Explanation(Comparison("undecided", reason=reason), (Edit(change, "undecided", reason=reason),))


def explain_pair(pair: Pair, *, output: bool = False, told: Mapping[Hashable, Edit] = NO_EDITS) -> Explanation:
    """The edits and the answer for two sides that are ready.

    `told`: edits, by their place, of which it is known that they break; they are not asked about again.
    """
    comparison = pair.comparison()
    found = _written(pair, walk(pair.old.schema, pair.new.schema, pair.identity, refers=pair.old.refers))
    if not output and comparison.verdict == "compatible" and _emptied(pair):
        change = facts.SchemaEmptied(place=Place("", "", ""), before=pair.old.written, after=pair.new.written)
        return Explanation(comparison, (Edit(change, "safe"),))
    edits = _beside_unread(pair, comparison, found) if pair.unread and comparison.verdict == "undecided" else None
    if edits is None:
        edits = _blaming(pair, comparison, _judged(pair, comparison, found, told))
    return Explanation(comparison, edits)


def _blaming(pair: Pair, comparison: Comparison, judged: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits, each told once; the whole takes the blame where the pair breaks and no edit does so alone."""
    edits = united(judged)
    if comparison.verdict == "incompatible" and not any(edit.effect == "breaks" for edit in edits):
        edits = _blamed(comparison, edits, pair)
    return edits


def _beside_unread(pair: Pair, comparison: Comparison, found: list[Raw]) -> tuple[Edit, ...] | None:
    """The edits, where every call holds an argument that cannot be read. Those of the argument itself are asked about.

    A witness holds what the contract shows for it. Where it shows nothing, no call can be written down: there is none.
    """
    unread = pair.unread
    try:
        readable = pair.readable()
        answer = readable.comparison()
    except Undecided:
        return None
    own = [raw.edited is not None and _touches(raw.edited, pair) for raw in found]
    beside = [_with_values(raw, unread) for raw, touching in zip(found, own, strict=True) if not touching]
    judged = {
        True: _judged(pair, comparison, [raw for raw, touching in zip(found, own, strict=True) if touching], NO_EDITS),
        False: _judged(readable, answer, beside, NO_EDITS),
    }
    edits = _blaming(pair, answer, [next(judged[touching]) for touching in own])
    if all(unread.values()):
        return edits
    return tuple(edit._replace(has_witness=False, witness=None) for edit in edits)


def _touches(edited: Callable[[], Any], pair: Pair) -> bool:
    try:
        return touches(edited(), pair.old.schema, pair.unread, pair.identity)
    except Undecided:
        return True


def _with_values(raw: Raw, values: Mapping[str, list[Any]]) -> Raw:
    make = raw.edited
    return raw if make is None else Raw(raw.change, lambda: with_values(make(), values))


def _written(pair: Pair, found: list[Raw]) -> list[Raw]:
    """The edits at the places where they are written; a text that differs without any edit is a rewrite."""
    found = [_at_its_origin(raw, pair) for raw in found]
    found = [raw for raw in found if not _idle(raw.change, pair)]
    if pair.old.dialect != pair.new.dialect:
        place = Place("/$schema", "/$schema", "")
        change = facts.DialectChanged(place=place, before=pair.old.dialect, after=pair.new.dialect)
        found.append(Raw(change, pair.old.reread(pair.new.dialect)))
    if not found and not pair.identity.same(pair.old.written, pair.new.written):
        place = Place("", "", "")
        return [Raw(facts.Rewritten(place=place, before=pair.old.written, after=pair.new.written))]
    return found


def _idle(change: SchemaChange, pair: Pair) -> bool:
    """What is told in another way, or says nothing: `$schema` after translation, other types of what is an object."""
    if isinstance(change, facts.TypesChanged) and pair.objects and not change.place.path:
        return "object" not in (*change.removed, *change.added)
    return isinstance(change, facts.DialectChanged)


def _emptied(pair: Pair) -> bool:
    """Whether the new root says nothing of any argument, and the old one did."""
    return (
        not _named(pair.new)
        and bool(_named(pair.old))
        and pair.after in (pair.space.true, pair.space.make("type", OBJECT))
    )


def _named(side: Side) -> frozenset[str]:
    """The arguments that a side names anywhere."""
    return named([(side.schema, Document(side.schema).scope)])


def _judged(pair: Pair, comparison: Comparison, found: list[Raw], told: Mapping[Hashable, Edit]) -> Iterator[Edit]:
    weighty = [raw for raw in found if raw.edited is not None]
    purse = Purse(pair)
    too_many = f"{len(weighty)} edits in one schema: too many to ask about each"
    for raw in found:
        if raw.edited is None or comparison.verdict == "compatible":
            yield Edit(raw.change, "safe")
        elif comparison.verdict == "incompatible" and len(weighty) == 1:
            yield _breaking(raw.change, comparison)
        elif comparison.verdict == "incompatible" and told and same_place(raw.change) in told:
            yield told[same_place(raw.change)]
        elif len(weighty) > MOST_EDITS or purse.empty:
            yield Edit(raw.change, "undecided", reason=too_many)
        else:
            yield _one(pair, comparison, raw, purse)


class Purse:
    """What all questions about one schema's edits may take together, beyond what each needs at least."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._end = pair.work + MOST_WORK
        self.steps = QUICK * 3

    @property
    def empty(self) -> bool:
        """Whether nothing more may be asked."""
        return self._pair.work > self._end

    def take(self) -> int:
        """The budget for the next question; an expensive one leaves less for the others."""
        return max(min(QUICK, self.steps), QUICK // 20)


def _one(pair: Pair, comparison: Comparison, raw: Raw, purse: Purse) -> Edit:
    """Ask about one edit of several."""
    budget = purse.take()
    try:
        answer = _asked(pair, comparison, raw, budget)
    except Undecided as trouble:
        purse.steps -= budget if isinstance(trouble, Exhausted) else 0
        return Edit(raw.change, "undecided", reason=trouble.reason)
    if answer.verdict == "compatible":
        return Edit(raw.change, "safe")
    if comparison.verdict == "undecided":
        return Edit(raw.change, "undecided", reason=comparison.reason)
    return _breaking(raw.change, answer)


def _asked(pair: Pair, comparison: Comparison, raw: Raw, budget: int) -> Comparison:
    """Whether the old side after this edit refuses something that it took, and the new side too. Raises Undecided."""
    if raw.edited is None:
        return Comparison("compatible")
    schema, breaks = raw.edited(), comparison.verdict == "incompatible"
    answer = _somehow(pair, schema, breaks=breaks, budget=budget)
    if breaks and raw.inside and _shows_more(pair, answer):
        # the new side may refuse the value for another part of it: then one is asked for that these parts break alone
        with suppress(Undecided):
            parts = [-pair.edited(whole()) for whole in raw.inside]
            if not Evaluator(pair.space).all_hold(parts, answer.witness):
                return pair.answer((-pair.edited(schema), -pair.after, *parts), budget=budget)
    return answer


def _somehow(pair: Pair, schema: Any, *, breaks: bool, budget: int) -> Comparison:
    if breaks:
        with suppress(Undecided):  # the tableau may know more ways
            answer = pair.answer_by_argument(schema, budget=budget)
            if answer is not None:
                return answer
    before, edited = pair.before, pair.edited(schema)
    if edited == before:
        return Comparison("compatible")
    return pair.answer((-edited, -pair.after) if breaks else (-edited,), budget=budget, must_fail=breaks)


def _shows_more(pair: Pair, answer: Comparison) -> bool:
    """Whether something less than the witness breaks too."""
    return answer.has_witness and any(pair.breaks(less, lambda _: True, 1) for less in smaller(answer.witness))


def _breaking(change: SchemaChange, answer: Comparison) -> Edit:
    if isinstance(change, facts.PropertyRemoved):
        change = replace(change, refused=True)
    return Edit(change, "breaks", has_witness=True, witness=answer.witness)


def _blamed(comparison: Comparison, edits: tuple[Edit, ...], pair: Pair) -> tuple[Edit, ...]:
    """The pair breaks and no edit does so alone: the schema as a whole takes the blame."""
    change = facts.SchemaReplaced(place=Place("", "", ""), before=pair.old.written, after=pair.new.written)
    return (_breaking(change, comparison), *edits)


def _at_its_origin(raw: Raw, pair: Pair) -> Raw:
    place = raw.change.place
    old = None if place.old is None else located(place.old, pair.old.written)
    new = None if place.new is None else located(place.new, pair.new.written)
    if old == place.old and new == place.new:  # nearly all
        return raw
    return raw._replace(change=replace(raw.change, place=place._replace(old=old, new=new)))
