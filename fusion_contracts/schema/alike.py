"""Whether texts are alike, as far as that can be told in a second or so for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import Match, SequenceMatcher
from functools import lru_cache
from typing import Any, TypeVar

__all__ = ["Texts"]

_MOST = 10_000_000  # looks at equal letters, in all texts that are compared
_LOOK = 200  # of these cost as much as a look at a pair that is not compared
_LONGEST = 400  # characters of a text that are compared

Item = TypeVar("Item")


class Texts:
    """Compares texts until that has taken too many looks; from then on none is alike."""

    def __init__(self) -> None:
        self.left = _MOST

    @property
    def too_many(self) -> bool:
        """Whether more would have to be compared."""
        return self.left < 0

    def looked_at(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items while there are looks left: each takes some, whatever it says."""
        for item in items:
            self.left -= _LOOK
            if self.too_many:
                return
            yield item

    def alike(self, left: str, right: str, share: float) -> bool:
        """Whether so much of two texts is common, in the same order."""
        left, right = left[:_LONGEST], right[:_LONGEST]
        ours, theirs = _letters(left), _letters(right)
        common = sum(min(count, theirs[letter]) for letter, count in ours.items())
        total = len(left) + len(right)
        if self.too_many or (total and 2.0 * common / total < share):  # in whatever order
            return False
        return _Counted(self, left, right).ratio() >= share


class _Counted(SequenceMatcher[str]):
    """Counts the equal letters that it meets: it looks at them again for each block that it finds."""

    def __init__(self, texts: Texts, left: str, right: str) -> None:
        theirs = _letters(right)
        self._texts, self._length = texts, len(left)
        self._each = sum(count * theirs[letter] for letter, count in _letters(left).items()) / max(len(left), 1)
        super().__init__(None, left, right, autojunk=False)

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, *others: Any) -> Match:
        """The longest block within a part of the texts."""
        self._texts.left -= int(self._each * ((self._length if ahi is None else ahi) - alo))
        return super().find_longest_match(alo, ahi, *others)


@lru_cache(maxsize=1024)
def _letters(text: str) -> Counter[str]:
    return Counter(text)
