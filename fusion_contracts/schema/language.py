r"""Regular languages of JSON Schema patterns: whether a text is in them, and a text that is in some and not in others.

Patterns are ECMA-262 in Unicode mode and unanchored; `$` is the very end of the text, `.` no line terminator, `\d` and
`\w` are ASCII. The universe is every string of code points without surrogates. Answers are exact: what cannot be
answered raises Unsupported (the pattern) or Exhausted (the budget). The same search always ends in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Hashable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from fusion_contracts.schema import ecma, patterns
from fusion_contracts.schema.derivatives import derivative
from fusion_contracts.schema.ecma_tree import Unsupported
from fusion_contracts.schema.regular import Arena, Exhausted, Node
from fusion_contracts.schema.search import Search

__all__ = ["Exhausted", "Fuel", "Language", "Unsupported", "compile_pattern", "find", "is_empty", "iterate", "matches"]

_BUDGET = 20_000  # some 0.2 s
_MATCH_BUDGET = 37_500
_ALWAYS = 100  # even when others took too much; a plain pattern takes up to some fifty
_SHORT, _FEW, _LITTLE = 64, 4, 500  # characters of a text, such texts, and steps for each: what is worth keeping
_FINENESS = 4  # an arena counts smaller steps than a caller does
MOST_TOGETHER = 3 * _BUDGET  # of all questions about one pair of schemas
_MOST_EXCLUDED = 1_000
_PLAUSIBLE = ("x", "abc")


class Fuel:
    """What several questions may take together, in steps; after that, simple ones may take as much again."""

    def __init__(self, steps: int = MOST_TOGETHER) -> None:
        self.burnt = 0
        self._steps = steps
        self._in_vain: set[Hashable] = set()
        self.made: dict[str, tuple[Arena, Node]] = {}  # of each pattern, by matching texts: of use to the next text
        self.asked: Counter[str] = Counter()  # how many short texts each pattern was asked about

    def budget(self, most: int, question: Hashable) -> int:
        """The steps for one question. Raises Exhausted where it was asked in vain: they do not become more."""
        if question in self._in_vain or self.burnt > 2 * self._steps:
            raise Exhausted
        return max(min(most, self._steps - self.burnt), _ALWAYS)

    def burn(self, steps: int, *in_vain: Hashable) -> None:
        """Take note of what a question took, and of the question if that was in vain."""
        self.burnt += steps
        self._in_vain.update(in_vain)


class Language:
    """The strings in which one pattern is found."""

    __slots__ = ("pattern", "tree")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.tree = ecma.parse(pattern)

    def takes(self, text: str, fuel: Fuel | None = None) -> bool:
        """Whether the pattern is found in the text. Raises Exhausted, and Unsupported for a rare kind of pattern."""
        fuel = fuel or Fuel()
        budget = fuel.budget(_MATCH_BUDGET, (self.pattern, text)) * _FINENESS
        if len(text) <= _SHORT and budget == _MATCH_BUDGET * _FINENESS and fuel.asked[self.pattern] < _FEW:
            fuel.asked[self.pattern] += 1
            with suppress(RecursionError):  # near the end of the stack: what follows says so
                taken, spent = _taken(self.pattern, text)
                fuel.burn(spent)
                if taken is not None:
                    return taken
        made = fuel.made.get(self.pattern)  # not kept in any other place: what a pair takes depends on it alone
        arena = Arena(budget) if made is None or made[0].count > _MATCH_BUDGET >> 2 else made[0]
        arena.left = budget
        try:
            if made is None or made[0] is not arena:
                made = fuel.made[self.pattern] = arena, patterns.found_in(arena, self.tree)
            return _follows(*made, text)
        except (Exhausted, RecursionError):
            fuel.burn(0, (self.pattern, text))
            raise Exhausted from None
        finally:
            fuel.burn((budget - arena.left) // _FINENESS)


def _follows(arena: Arena, node: Node, text: str) -> bool:
    """Whether an expression takes a text. Raises Exhausted."""
    for char in text:
        if node is arena.all or node is arena.nothing:
            break
        node = derivative(arena, node, ord(char))
    return arena.takes_empty(node)


@lru_cache(maxsize=4096)
def _taken(pattern: str, text: str) -> tuple[bool | None, int]:
    """Whether a pattern is found in a text, and the steps that it took, kept: they depend on nothing else.

    None where that takes more than a little.
    """
    arena = Arena(_LITTLE * _FINENESS)
    try:
        taken = _follows(arena, patterns.found_in(arena, compile_pattern(pattern).tree), text)
    except Exhausted:
        return None, _LITTLE
    return taken, _LITTLE - arena.left // _FINENESS


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Language:
    """The language of all strings in which the pattern is found. Raises Unsupported."""
    return Language(pattern)


def matches(language: Language | str, text: str, fuel: Fuel | None = None) -> bool:
    """Whether the text is in the language of the pattern. Raises Unsupported and Exhausted."""
    return (compile_pattern(language) if isinstance(language, str) else language).takes(text, fuel)


class _Question(NamedTuple):
    """What a string has to be: found by all of `positive`, by none of `negative`, of `low` to `high` code points."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]
    low: int
    high: int | None
    budget: int = _BUDGET

    def takes(self, text: str, fuel: Fuel) -> bool:
        """Whether the text is an answer. Raises Unsupported and Exhausted."""
        if len(text) < self.low or (self.high is not None and len(text) > self.high):
            return False
        return all(matches(one, text, fuel) for one in self.positive) and not any(
            matches(one, text, fuel) for one in self.negative
        )

    def arena(self) -> Arena:
        """Room for a search, new for each, so that what it takes depends on the question alone."""
        return Arena(self.budget * _FINENESS)

    def spent(self, arena: Arena) -> int:
        """The steps that it took so far."""
        return self.budget - arena.left // _FINENESS

    def search(self, arena: Arena, excluded: Sequence[str] = ()) -> Search:
        """The search for an answer."""
        wanted = [patterns.found_in(arena, compile_pattern(one).tree) for one in self.positive]
        refused = [patterns.found_in(arena, compile_pattern(one).tree) for one in self.negative]
        if excluded:
            refused.append(arena.either([patterns.literal(arena, text) for text in excluded]))
        return Search(arena, arena.both([*wanted, *map(arena.complement, refused)]))


@lru_cache(maxsize=4096)
def _best(question: _Question, excluded: tuple[str, ...] = ()) -> tuple[str | type[Exhausted] | None, int]:
    """The answer of a search, or that it found none in time, and the steps that it took.

    They are kept, as they depend on nothing else.
    """
    arena = question.arena()
    answer: str | type[Exhausted] | None
    try:
        answer = question.search(arena, excluded).best(question.low, question.high)
    except Exhausted:
        answer = Exhausted
    return answer, question.spent(arena)


def find(  # noqa: PLR0913 - all but two are named, and most have defaults
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    min_length: int = 0,
    max_length: int | None = None,
    excluded: Container[str] = (),
    fuel: Fuel | None = None,
    plausible: bool = False,
) -> str | None:
    """A short and nice string in which every positive and no negative pattern is found; None: proved that none is.

    Lengths are in code points. `excluded` strings are never the answer; `plausible` prefers one that is not empty.
    Raises Unsupported and Exhausted.
    """
    if max_length is not None and max_length < min_length:
        return None
    fuel = fuel or Fuel()
    question = _Question(tuple(positive), tuple(negative), max(min_length, 0), max_length)
    if plausible:
        for text in _PLAUSIBLE:
            if text not in excluded and question.takes(text, fuel):
                return text
        if question.low == 0:
            found = _unlike(question._replace(low=1), excluded, fuel) if max_length != 0 else None
            return "" if found is None and "" not in excluded and question.takes("", fuel) else found
    return _unlike(question, excluded, fuel)


def _unlike(question: _Question, excluded: Container[str], fuel: Fuel) -> str | None:
    """The best answer that is not excluded."""
    answer = _found(question, (), fuel)
    if answer is None or answer not in excluded:
        return answer
    if isinstance(excluded, Collection) and len(excluded) <= _MOST_EXCLUDED:
        return _found(question, tuple(sorted(excluded)), fuel)
    question = question._replace(budget=fuel.budget(_BUDGET, question))
    arena = question.arena()
    strings = question.search(arena).all(question.low, question.high)
    try:
        return next((text for text in strings if text not in excluded), None)
    finally:
        fuel.burn(question.spent(arena))


def _found(question: _Question, excluded: tuple[str, ...], fuel: Fuel) -> str | None:
    key = question, excluded
    budget = fuel.budget(_BUDGET, key)
    try:
        answer, spent = _best(question._replace(budget=budget), excluded)
    except RecursionError:  # depends on who asks as well, so it is not kept
        answer, spent = Exhausted, budget
    if isinstance(answer, type):
        fuel.burn(spent, key)
        raise answer
    fuel.burn(spent)
    return answer


def iterate(  # noqa: PLR0913 - all but two are named, and most have defaults
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    min_length: int = 0,
    max_length: int | None = None,
    excluded: Container[str] = (),
    fuel: Fuel | None = None,
) -> Iterator[str]:
    """Distinct strings in which every positive and no negative pattern is found, shorter ones first.

    Each is made when it is asked for. Ends when there are no more. Raises Unsupported, and Exhausted once the budget
    for all of them together is used up.
    """
    budget = (fuel or Fuel()).budget(_BUDGET, None)
    question = _Question(tuple(positive), tuple(negative), max(min_length, 0), max_length, budget)
    try:
        for text in question.search(question.arena()).all(question.low, question.high):
            if text not in excluded:
                yield text
    except RecursionError:
        raise Exhausted from None


def is_empty(  # noqa: PLR0913 - all but two are named, and most have defaults
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    min_length: int = 0,
    max_length: int | None = None,
    excluded: Container[str] = (),
    fuel: Fuel | None = None,
) -> bool:
    """Whether no string is in all positive and no negative languages. Raises Unsupported and Exhausted."""
    found = find(positive, negative, min_length=min_length, max_length=max_length, excluded=excluded, fuel=fuel)
    return found is None
