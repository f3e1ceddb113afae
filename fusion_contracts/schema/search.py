"""Searching the strings of a regular expression: the shortest and nicest first, the alphabet by classes, lazily."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby, product
from math import prod
from typing import NamedTuple, TypeAlias

from fusion_contracts.schema import charset
from fusion_contracts.schema.charset import Intervals
from fusion_contracts.schema.derivatives import steps
from fusion_contracts.schema.regular import AND, CONCAT, NOT, OR, Arena, Exhausted, Node

__all__ = ["Search"]

_LONGEST = 1_000_000
_SURROGATES = charset.negate(((0xD800, 0xDFFF),))
_NO_CONTROL = charset.negate(((0, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029)))
_TRIES = 4096  # how far to look for a printable character in one interval
_PUNCTUATION = "-_./ !#$%&'()*+,:;<=>?@[\\]^`{|}~\""
_NICE: Intervals = ((0x61, 0x7A), (0x30, 0x39), (0x41, 0x5A), *((ord(char), ord(char)) for char in _PUNCTUATION))

_MOST_PARTS = 64

PLAIN, PRINTABLE, ANY = range(3)  # how far a search may go from the beaten track


class Edge(NamedTuple):
    """One way on: the nicest character of the class, how nice it is (less is nicer), the class, and what follows."""

    rank: int
    char: str
    level: int
    intervals: Intervals
    target: Node


class Way(NamedTuple):
    """How an expression was reached: from which one (None: it is the root), by which character.

    Expressions of one layer with the same `text` were reached by the same characters.
    """

    before: Node | None
    char: str
    text: int


Layer: TypeAlias = dict[Node, Way]  # what is reached after some number of characters, the nicest texts first


class Search:
    """The strings of one expression. All methods raise Exhausted when the arena's budget is used up."""

    def __init__(self, arena: Arena, root: Node) -> None:
        self.arena = arena
        self.root = root
        self.known: dict[int, list[Edge]] = {}
        self.parts: dict[int, list[Node]] = {}
        self.taken = 0

    def edges(self, node: Node) -> list[Edge]:
        """The ways on from an expression, the nicest first; none to the empty language, none by surrogates."""
        found = self.known.get(node.id)
        if found is None:
            starts, targets = steps(self.arena, node)
            pieces: dict[int, list[tuple[int, int]]] = {}
            by_id: dict[int, Node] = {}
            ends = [*starts[1:], charset.LAST + 1]
            for start, end, target in zip(starts, ends, targets, strict=True):
                if target is not self.arena.nothing:
                    pieces.setdefault(target.id, []).append((start, end - 1))
                    by_id[target.id] = target
            found = []
            for number, pairs in pieces.items():
                intervals = charset.intersect(tuple(pairs), _SURROGATES)
                if intervals:
                    found.append(Edge(*_nicest(intervals), intervals, by_id[number]))
            found.sort()
            self.known[node.id] = found
            self.arena.spend(1 + (len(starts) >> 4))
        return found

    def split(self, node: Node) -> list[Node]:
        """Expressions that together take what the expression takes.

        To look for one string, alternatives may be followed apart: their number stays small where sets of them, which
        is what derivatives are, would multiply (`a.{20}$`).
        """
        found = self.parts.get(node.id)
        if found is None:
            self.parts[node.id] = [node]  # for what refers to itself
            found = list(dict.fromkeys(part for part in self._split(node) if part is not self.arena.nothing))
            self.parts[node.id] = found
            self.arena.spend(len(found) >> 2)
        return found

    def _split(self, node: Node) -> list[Node]:
        arena = self.arena
        if node.kind == OR:
            return [one for part in node.parts for one in self.split(part)]
        if node.kind == NOT and node.parts[0].kind == AND:
            return [one for part in node.parts[0].parts for one in self.split(arena.complement(part))]
        if node.kind == CONCAT:
            heads = self.split(node.parts[0])
            return [arena.concat(head, node.parts[1]) for head in heads] if len(heads) > 1 else [node]
        if node.kind == AND:
            choices = [self.split(part) for part in node.parts]
            if 1 < prod(map(len, choices)) <= _MOST_PARTS:
                return [arena.both(chosen) for chosen in product(*choices)]
        return [node]

    def best(self, low: int, high: int | None) -> str | None:
        """The shortest string of `low` to `high` code points and the nicest among those; None: there is none.

        A longer one is taken where it spares unusual characters, or puts a control character elsewhere than at the end.
        """
        shortest = self.shortest(low, high)
        if shortest is None or (shortest.isascii() and shortest.isprintable()) or shortest == "":
            return shortest
        try:
            for level in (PLAIN, PRINTABLE):
                nicer = self.shortest(low, high, level)
                if nicer is not None:
                    return nicer
            ends = self.arena.concat(self.arena.all, self.arena.chars(_NO_CONTROL))
            return Search(self.arena, self.arena.both([self.root, ends])).shortest(low, high) or shortest
        except Exhausted:
            return shortest

    def shortest(self, low: int, high: int | None, level: int = ANY) -> str | None:
        """A breadth-first search, layer by layer, over the characters up to a level.

        Below `low` every layer holds all that can be reached in exactly that many steps; from there on what is new.
        """
        if low > _LONGEST:
            raise Exhausted
        layers: list[Layer] = [dict.fromkeys(self.split(self.root), Way(None, "", 0))]
        while len(layers) <= low:
            layers.append(self.layer(layers[-1], level))
            if not layers[-1]:
                return None
            if _same(layers[-1], layers[-2]):  # nothing will change before `low`
                layers.extend([layers[-1]] * (low + 1 - len(layers)))
        seen = set(layers[-1])
        while layers[-1]:
            found = next((node for node in layers[-1] if self.arena.takes_empty(node)), None)
            if found is not None:
                self.arena.spend(len(layers) >> 5)
                return _spelled(layers, found)
            if high is not None and len(layers) > high:
                return None
            fresh = {node: way for node, way in self.layer(layers[-1], level).items() if node not in seen}
            seen.update(fresh)
            layers.append(fresh)
        return None

    def layer(self, before: Layer, level: int) -> Layer:
        """What one more character reaches, each by its nicest text, in the order of these texts."""
        after: Layer = {}
        for _, group in groupby(before.items(), key=lambda item: item[1].text):
            ways = [(edge, node) for node, _ in group for edge in self.edges(node) if edge.level <= level]
            ways.sort(key=lambda way: way[0].rank)
            self.taken += 1 + len(ways)
            number, last = len(after), ""
            for edge, node in ways:
                if edge.char != last:
                    number, last = len(after), edge.char
                for target in self.split(edge.target):
                    if target not in after:
                        after[target] = Way(node, edge.char, number)
        self.arena.spend(self.taken >> 4)
        self.taken &= 15
        return after

    def all(self, low: int, high: int | None) -> Iterator[str]:
        """Every string of `low` to `high` code points, shorter ones first; ends when there are no more."""
        layers: list[frozenset[Node]] = [frozenset([self.root])]
        repeated: dict[frozenset[Node], int] = {}
        last_found = -1
        while layers[-1] and (high is None or len(layers) <= high + 1):
            length = len(layers) - 1
            if length >= low:
                if any(self.arena.takes_empty(node) for node in layers[-1]):
                    last_found = length
                    yield from self.of_length(layers)
                elif repeated.setdefault(layers[-1], length) < length and last_found < repeated[layers[-1]]:
                    return
            layers.append(frozenset(edge.target for node in layers[-1] for edge in self.edges(node)))
            self.arena.spend(1 + (len(layers[-2]) >> 2))

    def of_length(self, layers: list[frozenset[Node]]) -> Iterator[str]:
        """The strings whose path ends in the last layer."""
        length = len(layers) - 1
        alive = [frozenset[Node]()] * length + [frozenset(n for n in layers[-1] if self.arena.takes_empty(n))]
        for i in range(length - 1, -1, -1):
            alive[i] = frozenset(n for n in layers[i] if any(edge.target in alive[i + 1] for edge in self.edges(n)))
        self.arena.spend(1 + (length >> 2))
        text: list[str] = []
        stack = [iter([("", self.root)])]
        while stack:
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
                if text:
                    text.pop()
                continue
            char, node = way
            if len(stack) <= length:
                text.append(char)
                stack.append(self.ways(node, alive[len(stack)]))
            else:
                self.arena.spend(1)
                yield "".join([*text, char])

    def ways(self, node: Node, alive: frozenset[Node]) -> Iterator[tuple[str, Node]]:
        """Every character that leads on, the nice ones first, with what it leads to."""
        for edge in self.edges(node):
            if edge.target in alive:
                for char in _ranked(edge.intervals):
                    yield char, edge.target


def _same(one: Layer, other: Layer) -> bool:
    return list(one) == list(other) and all(way.text == other[node].text for node, way in one.items())


def _spelled(layers: list[Layer], node: Node) -> str:
    text: list[str] = []
    for layer in reversed(layers):
        before, char, _ = layer[node]
        text.append(char)
        node = before or node
    return "".join(reversed(text))


def _ranked(intervals: Intervals) -> Iterator[str]:
    """The characters of a set, the nice ones first."""
    for low, high in _NICE:
        for start, end in charset.intersect(((low, high),), intervals):
            yield from map(chr, range(start, end + 1))
    rest = charset.intersect(intervals, charset.negate(charset.normal(_NICE)))
    for printable in (True, False):
        for start, end in rest:
            yield from (char for char in map(chr, range(start, end + 1)) if char.isprintable() is printable)


@lru_cache(maxsize=4096)
def _nicest(intervals: Intervals) -> tuple[int, str, int]:
    """How nice a set's nicest character is (less is nicer), the character, its level."""
    base = 0
    for low, high in _NICE:
        for start, end in intervals:
            if start <= high and end >= low:
                code = max(start, low)
                return base + code - low, chr(code), PLAIN
        base += high - low + 1
    for start, end in intervals:
        for code in range(max(start, 0xA0), min(end + 1, max(start, 0xA0) + _TRIES)):
            if chr(code).isprintable():
                return 0x1000 + code, chr(code), PRINTABLE
    code = intervals[0][0]
    return 0x200000 + code, chr(code), ANY
