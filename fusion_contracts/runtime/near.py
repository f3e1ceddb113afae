"""Which name was meant: one that differs in case and separators alone, then one that is nearly the same.

Names are made of words: `find_book` and `return_book` have most of their text in common, and mean different things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import islice
from typing import TypeAlias

from fusion_contracts.canonical import shared_start
from fusion_contracts.model import JsonValue

__all__ = ["apart", "likely", "nearest", "plain", "same_but_case", "similar", "slip", "twin"]

_CLOSE = 0.7  # share of common text from which a name counts as a slip of another
_LONGEST = 64  # longer names are compared by their beginning
_LONGEST_PLAIN = 1_000  # a longer name is only itself
_MOST = 5_000  # names that are looked at
_MOST_COMPARED = 200  # of these, the ones with the most letters in common
_MOST_WORDS = 8  # of a name that has more, the rest is one word
_LEAST_COMMON = 2  # words from which a name is another one with something added
_LONG = 7  # characters of a word in which another letter is a slip; `close` and `clone` are two words
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_BETWEEN = re.compile(r"[\W_]+")
_PARTICLES = frozenset({"down", "in", "off", "on", "out", "up"})  # behind a word they make another: `checkout`
_SHORT = 3  # characters of a word whose last `s` is no plural

Fits: TypeAlias = Callable[[str], bool]


def _any(_: str) -> bool:
    return True


@lru_cache(maxsize=2048)
def plain(name: str) -> str:
    """A name without case and separators: `styleId`, `style_id` and `style-id` are one. A very long one as it is."""
    if len(name) > _LONGEST_PLAIN:
        return name
    return _BETWEEN.sub("", name).lower()


def twin(name: str, names: Iterable[str]) -> str | None:
    """The one name that differs from this one in case and separators alone."""
    wanted = plain(name)
    found = [other for other in names if plain(other) == wanted] if wanted else []
    return found[0] if len(found) == 1 else None


def nearest(name: str, names: Iterable[str], *, close: float = _CLOSE, fits: Fits = _any) -> str | None:
    """The twin, or else the most similar name where one is similar at all; of those that `fits` takes."""
    names = list(islice(names, _MOST))
    found = twin(name, names)
    return found if found is not None else next(iter(similar(name, names, 1, close=close, fits=fits)), None)


def likely(name: str, names: Iterable[str]) -> str | None:
    """The nearest name that may be meant by this one: none that means a different thing."""
    return nearest(name, names, fits=lambda other: not apart(name, other))


def similar(name: str, names: Iterable[str], most: int, *, close: float = _CLOSE, fits: Fits = _any) -> list[str]:
    """At most this many of the names that `fits` takes, the most similar first, where they are similar at all.

    A name's letters say how similar it is at most, and cost little. The best of these are compared, as long as one may
    be better than what was found.
    """
    from difflib import SequenceMatcher  # only on a failing call with an unknown name

    matcher = SequenceMatcher(None, "", plain(name)[:_LONGEST], autojunk=False)
    bounds = []
    for number, other in enumerate(islice(names, _MOST)):
        matcher.set_seq1(plain(other)[:_LONGEST])
        if matcher.real_quick_ratio() >= close and (bound := matcher.quick_ratio()) >= close:
            bounds.append((bound, number, other))
    found: list[tuple[float, int, str]] = []
    for bound, number, other in nlargest(_MOST_COMPARED, bounds):
        if len(found) == most and bound < found[-1][0]:
            break
        matcher.set_seq1(plain(other)[:_LONGEST])
        if fits(other) and (ratio := matcher.ratio()) >= close:
            found = sorted([*found, (ratio, number, other)], reverse=True)[:most]
    return [other for _, _, other in found]


def apart(name: str, other: str) -> bool:
    """Whether each of two names has a word of its own: then they mean different things, however much they share."""
    if plain(name) == plain(other):
        return False
    left = _left(name, other)
    return all(left) and not _is_near("".join(left[0]), "".join(left[1]))


def slip(name: str, other: str) -> bool:
    """Whether a name is another one, misspelt or with words added or left out."""
    if plain(name) == plain(other):
        return True
    if apart(name, other):
        return False
    mine, theirs = _left(name, other)
    words = len(_words(name))
    return words == len(_words(other)) or bool(mine and theirs) or words - len(mine) >= _LEAST_COMMON


def same_but_case(value: JsonValue, options: Sequence[JsonValue]) -> str | None:
    """The one allowed text that a sent text is, but for case, separators and white space around it."""
    if not isinstance(value, str):
        return None
    return twin(value[:_LONGEST], [option for option in options[:_MOST] if isinstance(option, str)])


def _left(name: str, other: str) -> tuple[list[str], list[str]]:
    """The words of two names that have no counterpart in the other one, whatever their order."""
    mine, theirs = [], list(_words(other))
    for word in _words(name):
        found = word if word in theirs else next((one for one in theirs if _is_near(word, one)), None)
        if found is None:
            mine.append(word)
        else:
            theirs.remove(found)
    return mine, theirs


@lru_cache(maxsize=2048)
def _words(name: str) -> tuple[str, ...]:
    """`close_page`, `closePage` and `close-page` are `close` and `page`."""
    words = [word.lower() for word in _WORDS.split(name[:_LONGEST]) if word]
    return tuple([*words[: _MOST_WORDS - 1], "".join(words[_MOST_WORDS - 1 :])] if len(words) > _MOST_WORDS else words)


def _is_near(word: str, other: str) -> bool:
    """Whether two words are one: another number, the beginning of the other, one letter more or less, two swapped.

    Whoever misspells a word gets its first letter right; another one makes another word (`lock`, `unlock`).
    """
    word, other = _singular(word), _singular(other)
    if not word or not other or word[0] != other[0]:
        return False
    if word.startswith(other) or other.startswith(word):
        return word[len(other) :] not in _PARTICLES and other[len(word) :] not in _PARTICLES
    start = shared_start(word, other)
    ends = word[start:][::-1], other[start:][::-1]
    ending = shared_start(*ends)
    ends = ends[0][ending:], ends[1][ending:]
    sizes = sorted(map(len, ends))
    swapped = sizes == [2, 2] and ends[0] == ends[1][::-1]
    return sizes == [0, 1] or swapped or (sizes == [1, 1] and min(len(word), len(other)) >= _LONG)


def _singular(word: str) -> str:
    if len(word) <= _SHORT or not word.endswith("s"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
