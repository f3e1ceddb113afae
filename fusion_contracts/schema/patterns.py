r"""From a pattern's tree to a regular expression without anchors or look-arounds.

A part of a pattern is compiled with what follows it: for every context (what stands directly before: the start of the
text, or a code point of one of a few classes) the expression that everything from here on must match. A look-ahead is
then an `and` with what follows, `$` is `and` with the empty string, `^` and `\b` look at their context. A loop over a
body that holds such assertions refers to itself and unfolds when it is derived.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from fusion_contracts.schema import charset
from fusion_contracts.schema.charset import Intervals
from fusion_contracts.schema.ecma_tree import (
    UNBOUNDED,
    Behind,
    Boundary,
    Chars,
    Choice,
    Edge,
    Look,
    Loop,
    Sequence,
    Tree,
    Unsupported,
)
from fusion_contracts.schema.regular import Arena, Node

__all__ = ["found_in", "literal"]

# One expression for each context, twice: the second one for a loop's turn that has not consumed anything yet.
Following: TypeAlias = tuple[Node, ...]

_START = (0, 1)  # the contexts at the start of the text
_MOST_CLASSES, _MOST_EMPTY_TURNS = 16, 30


def found_in(arena: Arena, tree: Tree) -> Node:
    """All strings in which the pattern is found. Raises Unsupported, and Exhausted by the arena's budget."""
    classes = _classes(tree)
    starts = _Compiler(arena, classes).following(tree, (arena.all,) * (2 * len(classes) + 2))[::2]
    if all(node is starts[0] for node in starts):
        return arena.concat(arena.all, starts[0])
    later = zip(classes, starts[1:], strict=True)
    after = (arena.concat(arena.concat(arena.all, arena.chars(one)), node) for one, node in later)
    return arena.either([starts[0], *after])


def literal(arena: Arena, text: str) -> Node:
    """The text itself and nothing else."""
    node = arena.empty
    for char in reversed(text):
        node = arena.concat(arena.chars(((ord(char), ord(char)),)), node)
    return node


def _classes(tree: Tree) -> list[Intervals]:
    """The coarsest partition of the code points of which every class answers each assertion that looks behind."""
    classes = [charset.ANY]
    stack = [tree]
    while stack:
        node = stack.pop()
        match node:
            case Sequence():
                stack.extend(node.items)
            case Choice():
                stack.extend(node.branches)
            case Loop() | Look():
                stack.append(node.body)
            case Boundary() | Behind():
                asked = charset.WORD if isinstance(node, Boundary) else node.intervals
                both_sides = (asked, charset.negate(asked))
                classes = [met for one in classes for side in both_sides if (met := charset.intersect(one, side))]
                if len(classes) > _MOST_CLASSES:
                    raise Unsupported("look-behinds over many different sets")
            case Chars() | Edge():
                pass  # these do not ask what stands before, or only whether anything does
    return classes


class _Compiler:
    """Contexts are numbered: 2i is the start (i = 0) or class i - 1, 2i + 1 the same in a turn that is still empty."""

    def __init__(self, arena: Arena, classes: list[Intervals]) -> None:
        self.arena = arena
        self.classes = classes
        self.contexts = range(2 * len(classes) + 2)
        self.loops: dict[tuple[object, ...], Following] = {}

    def plain(self, tree: Tree) -> Node:
        """The expression of a part without assertions."""
        arena = self.arena
        match tree:
            case Chars():
                return arena.chars(tree.intervals)
            case Sequence():
                node = arena.empty
                for item in reversed(tree.items):
                    node = arena.concat(self.plain(item), node)
                return node
            case Choice():
                return arena.either([self.plain(branch) for branch in tree.branches])
            case Loop():
                return arena.repeat(self.plain(tree.body), tree.low, tree.high)
            case _:
                raise AssertionError(tree)

    def following(self, tree: Tree, after: Following) -> Following:
        """For each context, what must match from this part on, when `after` must match from its end on."""
        arena = self.arena
        if tree.plain and all(node is after[0] for node in after):
            return (arena.concat(self.plain(tree), after[0]),) * len(after)
        match tree:
            case Sequence():
                for item in reversed(tree.items):
                    after = self.following(item, after)
                return after
            case Choice():
                columns = zip(*[self.following(branch, after) for branch in tree.branches], strict=True)
                return tuple(arena.either(column) for column in columns)
            case Chars():
                heads = [charset.intersect(tree.intervals, one) for one in self.classes]
                node = arena.either([arena.concat(arena.chars(h), k) for h, k in zip(heads, after[2::2], strict=True)])
                return (node,) * len(after)
            case Loop():
                return self.plain_loop(tree, after) if tree.plain else self.loop(tree, tree.low, tree.high, after)
            case Look() | Edge() | Behind() | Boundary():
                return self.asserted(tree, after)

    def asserted(self, tree: Look | Edge | Behind | Boundary, after: Following) -> Following:
        """An assertion before what follows: a condition on what follows, or on the context."""
        arena = self.arena
        match tree:
            case Look():
                inner = self.following(tree.body, (arena.all,) * len(after))
                sides = [arena.complement(node) for node in inner] if tree.negative else inner
            case Edge(kind="end"):
                sides = [arena.empty for _ in after]
            case Edge():
                sides = [arena.all if i in _START else arena.nothing for i in self.contexts]
            case Behind():
                held = [self.holds(i, tree.intervals, start=tree.start) for i in self.contexts]
                sides = [arena.all if one != tree.negative else arena.nothing for one in held]
            case _:
                word_ahead = arena.concat(arena.chars(charset.WORD), arena.all)
                no_word_ahead = arena.complement(word_ahead)
                after_word = [self.holds(i, charset.WORD) for i in self.contexts]
                sides = [no_word_ahead if one != tree.negative else word_ahead for one in after_word]
        return tuple(arena.both(pair) for pair in zip(sides, after, strict=True))

    def holds(self, context: int, intervals: Intervals, *, start: bool = False) -> bool:
        """Whether the context is one of the set (or, where `start` says so, the start)."""
        return start if context in _START else charset.subset(self.classes[context // 2 - 1], intervals)

    def plain_loop(self, tree: Loop, after: Following) -> Following:
        """A loop without assertions before something that looks at its context: split by the loop's last class."""
        arena = self.arena
        whole = self.plain(tree)
        consumed = arena.both([whole, arena.some])
        if all(node is after[2] for node in after[2::2]):
            turns = arena.concat(consumed, after[2])
        else:
            turns = arena.either(
                [
                    arena.concat(arena.both([consumed, arena.concat(arena.all, arena.chars(one))]), node)
                    for one, node in zip(self.classes, after[2::2], strict=True)
                ]
            )
        if not arena.takes_empty(whole):
            return (turns,) * len(after)
        return tuple(
            arena.concat(whole, node) if all(k is node for k in after[2::2]) else arena.either([turns, node])
            for node in after
        )

    def loop(self, tree: Loop, low: int, high: int, after: Following) -> Following:
        """A loop over assertions: each context's expression unfolds when it is first derived."""
        if high == 0:
            return after
        if tree.body.empty and low > _MOST_EMPTY_TURNS:
            raise Unsupported("an assertion that is repeated many times")
        key = (id(tree), low, high, *[node.id for node in after])

        def unfolded(context: int) -> Node:
            if key not in self.loops:
                self.loops[key] = self.turn(tree, low, high, after)
            return self.loops[key][context]

        return tuple(self.arena.deferred((*key, i), partial(unfolded, i)) for i in self.contexts)

    def turn(self, tree: Loop, low: int, high: int, after: Following) -> Following:
        """One more turn, or the end. A turn that is not demanded must consume something (ECMA-262, RepeatMatcher)."""
        arena = self.arena
        rest = self.loop(tree, max(low - 1, 0), high if high >= UNBOUNDED else high - 1, after)
        if low > 0:
            return self.following(tree.body, rest)
        empty_refused = tuple(arena.nothing if i % 2 else rest[i] for i in self.contexts)
        entered = self.following(tree.body, empty_refused)
        return tuple(arena.either([after[i], entered[i | 1]]) for i in self.contexts)
