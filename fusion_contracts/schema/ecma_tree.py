"""The syntax tree of a pattern.

Every part tells whether it is `plain` (nothing but consuming: no anchor, boundary or look-around inside) and whether it
may be `empty` (consume nothing).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from fusion_contracts.schema.charset import Intervals

__all__ = [
    "UNBOUNDED",
    "Behind",
    "Boundary",
    "Chars",
    "Choice",
    "Edge",
    "Look",
    "Loop",
    "Sequence",
    "Tree",
    "Unsupported",
]

UNBOUNDED = 1 << 60


class Unsupported(Exception):  # noqa: N818 - an answer, not an error
    """The pattern is broken, or its language is not regular or not handled here; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Part:
    """What all parts have. Plain classes: data classes would cost more at start-up than the rest of the engine."""

    __slots__ = ("empty", "plain")

    def __init__(self, *, plain: bool, empty: bool) -> None:
        self.plain = plain
        self.empty = empty


class Chars(Part):
    """One code point out of a set."""

    __slots__ = ("intervals",)

    def __init__(self, intervals: Intervals) -> None:
        super().__init__(plain=True, empty=False)
        self.intervals = intervals


class Sequence(Part):
    """One after the other; none at all is the empty string."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Tree]) -> None:
        self.items = tuple(items)
        super().__init__(plain=all(one.plain for one in self.items), empty=all(one.empty for one in self.items))


class Choice(Part):
    """One of several."""

    __slots__ = ("branches",)

    def __init__(self, branches: Iterable[Tree]) -> None:
        self.branches = tuple(branches)
        super().__init__(plain=all(one.plain for one in self.branches), empty=any(one.empty for one in self.branches))


class Loop(Part):
    """The body `low` to `high` times, `high` at most UNBOUNDED."""

    __slots__ = ("body", "high", "low")

    def __init__(self, body: Tree, low: int, high: int) -> None:
        super().__init__(plain=body.plain, empty=low == 0 or body.empty)
        self.body = body
        self.low = low
        self.high = high


class Look(Part):
    """A look-ahead."""

    __slots__ = ("body", "negative")

    def __init__(self, body: Tree, *, negative: bool) -> None:
        super().__init__(plain=False, empty=True)
        self.body = body
        self.negative = negative


class Behind(Part):
    """A look-behind over one code point, and where `start` over the start of the text too."""

    __slots__ = ("intervals", "negative", "start")

    def __init__(self, intervals: Intervals, *, start: bool, negative: bool) -> None:
        super().__init__(plain=False, empty=True)
        self.intervals = intervals
        self.start = start
        self.negative = negative


class Edge(Part):
    """The start or the end of the text."""

    __slots__ = ("kind",)

    def __init__(self, kind: Literal["start", "end"]) -> None:
        super().__init__(plain=False, empty=True)
        self.kind = kind


class Boundary(Part):
    """A word boundary, or none."""

    __slots__ = ("negative",)

    def __init__(self, *, negative: bool) -> None:
        super().__init__(plain=False, empty=True)
        self.negative = negative


Tree: TypeAlias = Chars | Sequence | Choice | Loop | Look | Behind | Edge | Boundary
