r"""Regular languages of JSON Schema patterns: whether a text is in them, and a text that is in some and not in others.

Patterns are ECMA-262 in Unicode mode and unanchored; `$` is the very end of the text, `.` no line terminator, `\d` and
`\w` are ASCII. The universe is every string of code points without surrogates. Answers are exact: what cannot be
answered raises Unsupported (the pattern) or Exhausted (the budget). The same search always ends in the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from fusion_contracts.schema import ecma, patterns
from fusion_contracts.schema.derivatives import derivative
from fusion_contracts.schema.ecma_tree import Unsupported
from fusion_contracts.schema.regular import Arena, Exhausted, Node
from fusion_contracts.schema.search import Search

__all__ = ["Exhausted", "Language", "Unsupported", "compile_pattern", "find", "is_empty", "iterate", "matches"]

_BUDGET = 20_000  # some 0.2 s
_FINENESS = 4  # an arena counts smaller steps than a caller does
_MATCH_BUDGET = 150_000
_MOST_EXCLUDED = 1_000
_PLAUSIBLE = ("x", "abc")


class Language:
    """The strings in which one pattern is found."""

    __slots__ = ("_arena", "_root", "pattern", "tree")

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.tree = ecma.parse(pattern)
        self._arena: Arena | None = None
        self._root: Node | None = None

    def takes(self, text: str) -> bool:
        """Whether the pattern is found in the text. Raises Exhausted, and Unsupported for a rare kind of pattern."""
        if self._arena is None or self._root is None or self._arena.count > _MATCH_BUDGET >> 4:
            arena = Arena(_MATCH_BUDGET)
            self._root = patterns.found_in(arena, self.tree)
            self._arena = arena
        arena, node = self._arena, self._root
        arena.left = _MATCH_BUDGET
        try:
            for char in text:
                if node is arena.all or node is arena.nothing:
                    break
                node = derivative(arena, node, ord(char))
            return arena.takes_empty(node)
        except RecursionError:
            raise Exhausted from None


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Language:
    """The language of all strings in which the pattern is found. Raises Unsupported."""
    return Language(pattern)


def matches(language: Language | str, text: str) -> bool:
    """Whether the text is in the language of the pattern. Raises Unsupported and Exhausted."""
    return (compile_pattern(language) if isinstance(language, str) else language).takes(text)


class _Question(NamedTuple):
    """What a string has to be: found by all of `positive`, by none of `negative`, of `low` to `high` code points."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]
    low: int
    high: int | None
    budget: int

    def takes(self, text: str) -> bool:
        """Whether the text is an answer. Raises Unsupported and Exhausted."""
        if len(text) < self.low or (self.high is not None and len(text) > self.high):
            return False
        return all(matches(one, text) for one in self.positive) and not any(matches(one, text) for one in self.negative)

    def search(self, excluded: Sequence[str] = ()) -> Search:
        """The search for an answer; its arena is new, so that its cost depends on the question alone."""
        arena = Arena(self.budget * _FINENESS)
        wanted = [patterns.found_in(arena, compile_pattern(one).tree) for one in self.positive]
        refused = [patterns.found_in(arena, compile_pattern(one).tree) for one in self.negative]
        if excluded:
            refused.append(arena.either([patterns.literal(arena, text) for text in excluded]))
        return Search(arena, arena.both([*wanted, *map(arena.complement, refused)]))


@lru_cache(maxsize=4096)
def _best(question: _Question, excluded: tuple[str, ...] = ()) -> str | Exhausted | None:
    """The answer of a search, kept: it depends on nothing else."""
    try:
        return question.search(excluded).best(question.low, question.high)
    except (Exhausted, RecursionError):
        return Exhausted()


def find(  # noqa: PLR0913 - all but two are named, and most have defaults
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    min_length: int = 0,
    max_length: int | None = None,
    excluded: Container[str] = (),
    budget: int = _BUDGET,
    plausible: bool = False,
) -> str | None:
    """A short and nice string in which every positive and no negative pattern is found; None: proved that none is.

    Lengths are in code points. `excluded` strings are never the answer; `plausible` prefers one that is not empty.
    Raises Unsupported and Exhausted.
    """
    if max_length is not None and max_length < min_length:
        return None
    question = _Question(tuple(positive), tuple(negative), max(min_length, 0), max_length, budget)
    if plausible:
        for text in _PLAUSIBLE:
            if text not in excluded and question.takes(text):
                return text
        if question.low == 0:
            found = _unlike(question._replace(low=1), excluded) if max_length != 0 else None
            return "" if found is None and "" not in excluded and question.takes("") else found
    return _unlike(question, excluded)


def _unlike(question: _Question, excluded: Container[str]) -> str | None:
    """The best answer that is not excluded."""
    answer = _best(question)
    if isinstance(answer, str) and answer in excluded:
        if not isinstance(excluded, Collection) or len(excluded) > _MOST_EXCLUDED:
            strings = question.search().all(question.low, question.high)
            return next((text for text in strings if text not in excluded), None)
        answer = _best(question, tuple(sorted(excluded)))
    if isinstance(answer, Exhausted):
        raise answer
    return answer


def iterate(  # noqa: PLR0913 - all but two are named, and most have defaults
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    min_length: int = 0,
    max_length: int | None = None,
    excluded: Container[str] = (),
    budget: int = _BUDGET,
) -> Iterator[str]:
    """Distinct strings in which every positive and no negative pattern is found, shorter ones first.

    Each is made when it is asked for. Ends when there are no more. Raises Unsupported, and Exhausted once the budget
    for all of them together is used up.
    """
    question = _Question(tuple(positive), tuple(negative), max(min_length, 0), max_length, budget)
    try:
        for text in question.search().all(question.low, question.high):
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
    budget: int = _BUDGET,
) -> bool:
    """Whether no string is in all positive and no negative languages. Raises Unsupported and Exhausted."""
    found = find(positive, negative, min_length=min_length, max_length=max_length, excluded=excluded, budget=budget)
    return found is None
