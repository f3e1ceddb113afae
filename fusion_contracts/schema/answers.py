"""What is known of goals while a search goes on: values, proofs that there is none, and proofs that lean on open goals.

A goal that comes back on its own path has no finite witness there (coinduction). A proof that used this leans on the
goal that came back. It holds as long as that goal is open, so that each goal is searched once below it, however many
paths lead there; it becomes final when the goal it leans on is proved too, and is forgotten when that has a value.
"""

from __future__ import annotations

from typing import Any, Final

from fusion_contracts.schema.answer import NOTHING, Goal

__all__ = ["OPEN", "Answers"]


class _Open:
    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()  # nothing is known
UNLEANING = 1 << 60


class Answers:
    """The answers of one search."""

    def __init__(self) -> None:
        self._final: dict[Goal, Any] = {}
        self._path: dict[Goal, int] = {}  # the goals that are open, and how deep each stands
        self._marks: list[tuple[int, int]] = []  # for each of them, how things stood when it was opened
        self._leaning: dict[Goal, int] = {}  # goals without a value, and the highest open goal that the proof leans on
        self._trail: list[Goal] = []  # the same in the order in which they were proved
        self._lowest = UNLEANING  # the highest goal on the path that the answer in the making leans on

    def aside(self) -> Answers:
        """The same final answers, for another question in between."""
        other = Answers()
        other._final = self._final
        return other

    def known(self, goal: Goal) -> Any:
        """The answer to a goal, or OPEN."""
        if goal in self._final:
            return self._final[goal]
        depth = self._path.get(goal, self._leaning.get(goal))
        if depth is None:
            return OPEN
        self._lowest = min(self._lowest, depth)
        return NOTHING

    def ask(self, goal: Goal) -> None:
        """Open a goal; `settle` closes it."""
        self._marks.append((len(self._trail), self._lowest))
        self._path[goal] = len(self._path)
        self._lowest = UNLEANING

    def settle(self, goal: Goal, value: Any) -> None:
        """Close the goal that was opened last: with its value, with NOTHING, or with OPEN where it was given up."""
        mark, outer = self._marks.pop()
        depth = self._path.pop(goal)
        leans, self._lowest = self._lowest, outer
        below = self._trail[mark:]
        if value is NOTHING and leans < depth:
            self._trail.append(goal)
            self._leaning.update(dict.fromkeys((*below, goal), leans))
            self._lowest = min(outer, leans)
            return
        del self._trail[mark:]
        for other in below:
            del self._leaning[other]
        if value is NOTHING:
            self._final.update(dict.fromkeys(below, NOTHING))
        if value is not OPEN:
            self._final[goal] = value
