"""Regular expressions with and, or and not, and their derivatives.

Expressions are hash-consed in an arena: equal ones, up to the laws applied here (flat, sorted, absorbing and neutral
members, double negation, joined repeats), are one object, so that a search over derivatives meets its states again.
Repeats keep counters. Nothing recurses over the length of a pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from fusion_contracts.schema import charset
from fusion_contracts.schema.charset import Intervals
from fusion_contracts.schema.ecma_tree import UNBOUNDED

__all__ = [
    "AND",
    "CHARS",
    "CONCAT",
    "DEFERRED",
    "EMPTY",
    "NOT",
    "NOTHING",
    "OR",
    "REPEAT",
    "Arena",
    "Exhausted",
    "Node",
    "Steps",
]


class Exhausted(Exception):  # noqa: N818 - an answer, not an error
    """The steps allowed for one question are used up."""

    def __init__(self) -> None:
        super().__init__("the patterns are too intricate for the steps allowed")


NOTHING, EMPTY, CHARS, CONCAT, REPEAT, OR, AND, NOT, DEFERRED = range(9)


class Node:
    """One expression. `parts` are its operands; `chars` a set's intervals; `low`, `high` a repeat's counts.

    `nullable` (does it take the empty string) and `steps` (its derivatives) are None until they are known.
    """

    __slots__ = ("chars", "high", "id", "kind", "low", "nullable", "parts", "steps", "thunk")

    def __init__(self, number: int, kind: int, parts: tuple[Node, ...], *, nullable: bool | None) -> None:
        self.id = number
        self.kind = kind
        self.parts = parts
        self.nullable = nullable
        self.chars: Intervals = ()
        self.low = self.high = 1
        self.steps: Steps | None = None
        self.thunk: Callable[[], Node] | None = None


Steps: TypeAlias = tuple[list[int], list[Node]]


class Arena:
    """Makes and keeps expressions. Every one made and every piece looked at is taken off `left`; then Exhausted."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.known: dict[tuple[object, ...], Node] = {}
        self.count = 0
        self.nothing = self._new((NOTHING,), NOTHING, (), nullable=False)
        self.empty = self._new((EMPTY,), EMPTY, (), nullable=True)
        self.any = self.chars(charset.ANY)
        self.all = self.repeat(self.any, 0, UNBOUNDED)
        self.some = self.repeat(self.any, 1, UNBOUNDED)

    def spend(self, amount: int) -> None:
        """Take steps off the budget. Raises Exhausted."""
        self.left -= amount
        if self.left < 0:
            raise Exhausted

    def _new(self, key: tuple[object, ...], kind: int, parts: tuple[Node, ...], *, nullable: bool | None) -> Node:
        self.spend(2)
        node = self.known[key] = Node(self.count, kind, parts, nullable=nullable)
        self.count += 1
        return node

    # What expressions are made of

    def chars(self, intervals: Intervals) -> Node:
        """One code point of the set."""
        if not intervals:
            return self.nothing
        node = self.known.get((CHARS, intervals))
        if node is None:
            node = self._new((CHARS, intervals), CHARS, (), nullable=False)
            node.chars = intervals
            self.spend(len(intervals) >> 4)
        return node

    def deferred(self, key: tuple[object, ...], thunk: Callable[[], Node]) -> Node:
        """An expression that may refer to itself: it is what `thunk` returns, asked when first needed."""
        node = self.known.get((DEFERRED, key))
        if node is None:
            node = self._new((DEFERRED, key), DEFERRED, (), nullable=None)
            node.thunk = thunk
        return node

    def unfold(self, node: Node) -> Node:
        """What a deferred expression stands for."""
        if not node.parts and node.thunk is not None:
            node.parts, node.thunk = (node.thunk(),), None
        return node.parts[0]

    def concat(self, head: Node, tail: Node) -> Node:
        """One after the other; the head's own tail is relinked, so that concatenation leans to the right."""
        heads: list[Node] = []
        while head.kind == CONCAT:
            heads.append(head.parts[0])
            head = head.parts[1]
        heads.append(head)
        for one in reversed(heads):
            tail = self._link(one, tail)
        return tail

    def _link(self, head: Node, tail: Node) -> Node:
        if NOTHING in (head.kind, tail.kind):
            return self.nothing
        if head.kind == EMPTY:
            return tail
        if tail.kind == EMPTY:
            return head
        if (head is self.all and tail.nullable) or (tail is self.all and head.nullable):
            return self.all
        next_one, rest = tail.parts if tail.kind == CONCAT else (tail, self.empty)
        body, low, high = _counted(head)
        same, more_low, more_high = _counted(next_one)
        if body is same:
            joined = self.repeat(body, low + more_low, min(high + more_high, UNBOUNDED))
            return self._link(joined, rest) if rest is not self.empty else joined
        key = (CONCAT, head.id, tail.id)
        found = self.known.get(key)
        if found is None:
            nullable = _all_or_any(AND, [head.nullable, tail.nullable])
            found = self._new(key, CONCAT, (head, tail), nullable=nullable)
        return found

    def repeat(self, body: Node, low: int, high: int) -> Node:
        """The body `low` to `high` times, `high` at most UNBOUNDED."""
        if body.nullable:
            low = 0
        if high == 0 or body.kind == EMPTY:
            return self.empty
        if body.kind == NOTHING:
            return self.nothing if low else self.empty
        if low == high == 1:
            return body
        if body.kind == REPEAT and (low == high or (low + 1) * body.low <= low * body.high + 1):
            # Counts of counts join where no total between is left out.
            if low * body.low > UNBOUNDED >> 10:
                raise Exhausted
            return self.repeat(body.parts[0], low * body.low, min(high * body.high, UNBOUNDED))
        key = (REPEAT, body.id, low, high)
        node = self.known.get(key)
        if node is None:
            node = self._new(key, REPEAT, (body,), nullable=True if low == 0 else body.nullable)
            node.low, node.high = low, high
        return node

    def complement(self, node: Node) -> Node:
        """Every string that the expression does not take."""
        if node.kind == NOT:
            return node.parts[0]
        for one, other in ((self.nothing, self.all), (self.empty, self.some)):
            if node is one:
                return other
            if node is other:
                return one
        found = self.known.get((NOT, node.id))
        if found is None:
            nullable = None if node.nullable is None else not node.nullable
            found = self._new((NOT, node.id), NOT, (node,), nullable=nullable)
        return found

    def either(self, nodes: Iterable[Node]) -> Node:
        """What any of them takes."""
        members: dict[int, Node] = {}
        sets: list[Intervals] = []
        for node in _flat(OR, nodes):
            if node is self.all:
                return node
            if node.kind == CHARS:
                sets.append(node.chars)
            elif node.kind != NOTHING:
                members[node.id] = node
        if sets:
            node = self.chars(charset.union(*sets))
            members[node.id] = node
        if len(members) > 1:
            self.spend(len(members) >> 2)
            if any(node.kind == NOT and node.parts[0].id in members for node in members.values()):
                return self.all
            if self.some.id in members and any(node.nullable for node in members.values()):
                return self.all
            members = self._joined(self._absorbed(members, AND))
            if self.empty.id in members and any(n.nullable for n in members.values() if n is not self.empty):
                del members[self.empty.id]
        return self._group(OR, members, self.nothing)

    def both(self, nodes: Iterable[Node]) -> Node:
        """What all of them take."""
        members: dict[int, Node] = {}
        met: Intervals | None = None
        for node in _flat(AND, nodes):
            if node.kind == NOTHING:
                return node
            if node.kind == CHARS:
                met = node.chars if met is None else charset.intersect(met, node.chars)
            elif node is not self.all:
                members[node.id] = node
        if met is not None:
            node = self.chars(met)
            members[node.id] = node
        if len(members) > 1 or self.nothing.id in members:
            self.spend(len(members) >> 2)
            if self._contradict(members):
                return self.nothing
            if self.empty.id in members:
                members = {n.id: n for n in members.values() if n is self.empty or n.nullable is None}
            elif self.some.id in members and any(n.nullable is False for n in members.values() if n is not self.some):
                del members[self.some.id]
            members = self._absorbed(members, OR)
        return self._group(AND, members, self.all)

    def _contradict(self, members: dict[int, Node]) -> bool:
        """Whether members of a conjunction refuse each other at sight."""
        if self.nothing.id in members:
            return True
        if self.empty.id in members and any(node.nullable is False for node in members.values()):
            return True
        return any(node.kind == NOT and node.parts[0].id in members for node in members.values())

    def _group(self, kind: int, members: dict[int, Node], neutral: Node) -> Node:
        if len(members) <= 1:
            return next(iter(members.values()), neutral)
        order = sorted(members)
        key = (kind, *order)
        node = self.known.get(key)
        if node is None:
            parts = tuple(members[number] for number in order)
            self.spend(len(parts) >> 2)
            node = self._new(key, kind, parts, nullable=_all_or_any(kind, [part.nullable for part in parts]))
        return node

    @staticmethod
    def _absorbed(members: dict[int, Node], dual: int) -> dict[int, Node]:
        """Leave out what others cover: `a or (a and b)` is `a`, and the dual."""
        spare = [
            number
            for number, node in members.items()
            if node.kind == dual and any(part.id in members for part in node.parts)
        ]
        return {number: node for number, node in members.items() if number not in spare} if spare else members

    def _joined(self, members: dict[int, Node]) -> dict[int, Node]:
        """Join members of an alternation that differ in their head's set alone, or in its counts without a gap."""
        groups: dict[tuple[int, int], list[Node]] = {}
        for node in members.values():
            head, tail = node.parts if node.kind == CONCAT else (node, self.empty)
            if head.kind == REPEAT:
                groups.setdefault((head.parts[0].id, tail.id), []).append(node)
            elif head.kind == CHARS:
                groups.setdefault((-1, tail.id), []).append(node)
        if len(groups) == len(members) or all(len(group) == 1 for group in groups.values()):
            return members
        rest = dict(members)
        for (body, _), group in groups.items():
            if len(group) > 1:
                for node in group:
                    del rest[node.id]
                heads = [node.parts[0] if node.kind == CONCAT else node for node in group]
                tail = group[0].parts[1] if group[0].kind == CONCAT else self.empty
                for head in self._joined_sets(heads) if body < 0 else self._joined_counts(heads):
                    node = self.concat(head, tail)
                    rest[node.id] = node
        return rest

    def _joined_sets(self, heads: list[Node]) -> Iterator[Node]:
        yield self.chars(charset.union(*(head.chars for head in heads)))

    def _joined_counts(self, heads: list[Node]) -> Iterator[Node]:
        ranges = charset.normal((head.low, head.high) for head in heads)
        for low, high in ranges:
            yield self.repeat(heads[0].parts[0], low, high)

    def takes_empty(self, node: Node) -> bool:
        """Whether the empty string is in the language."""
        if node.nullable is None:
            if node.kind == DEFERRED:
                node.nullable = self.takes_empty(self.unfold(node))
            elif node.kind == NOT:
                node.nullable = not self.takes_empty(node.parts[0])
            else:
                combine = any if node.kind == OR else all
                node.nullable = combine(self.takes_empty(part) for part in node.parts)
        return node.nullable


def _counted(node: Node) -> tuple[Node, int, int]:
    return (node.parts[0], node.low, node.high) if node.kind == REPEAT else (node, 1, 1)


def _all_or_any(kind: int, flags: list[bool | None]) -> bool | None:
    decisive = kind == OR
    if decisive in flags:
        return decisive
    return None if None in flags else not decisive


def _flat(kind: int, nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.kind == kind:
            yield from node.parts
        else:
            yield node
