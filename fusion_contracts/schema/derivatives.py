"""Derivatives of regular expressions, by every code point at once.

The derivative of an expression by a code point takes what may follow it. By all code points at once it is a step
function: sorted starts, and the expression that follows from each start on (Brzozowski 1964; Owens, Reppy and Turon
2009). Kept on the expression, it is computed once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from fusion_contracts.schema import charset
from fusion_contracts.schema.charset import Intervals
from fusion_contracts.schema.ecma_tree import UNBOUNDED
from fusion_contracts.schema.regular import AND, CHARS, CONCAT, DEFERRED, NOT, OR, REPEAT, Arena, Node, Steps

__all__ = ["derivative", "steps"]


def derivative(arena: Arena, node: Node, code: int) -> Node:
    """What may follow the code point. Raises Exhausted."""
    starts, targets = steps(arena, node)
    return targets[bisect_right(starts, code) - 1]


def steps(arena: Arena, node: Node) -> Steps:
    """The derivatives by every code point: starts, and what follows from each start on. Raises Exhausted."""
    stack = [node]
    while node.steps is None:
        top = stack[-1]
        missing = [part for part in _needed(arena, top) if part.steps is None]
        if missing and top.steps is None:
            stack.extend(missing)
            continue
        if top.steps is None:
            top.steps = _derived(arena, top)
        stack.pop()
    return node.steps


def _needed(arena: Arena, node: Node) -> tuple[Node, ...]:
    """The expressions of whose derivatives the node's are made."""
    if node.kind == DEFERRED:
        return (arena.unfold(node),)
    if node.kind == CONCAT and not arena.takes_empty(node.parts[0]):
        return node.parts[:1]
    return node.parts


def _derived(arena: Arena, node: Node) -> Steps:
    kind = node.kind
    parts = [part.steps for part in _needed(arena, node) if part.steps is not None]
    if kind == CHARS:
        return _one_of(arena, node.chars)
    if kind == REPEAT:
        high = node.high if node.high >= UNBOUNDED else node.high - 1
        again = arena.repeat(node.parts[0], max(node.low - 1, 0), high)
        return _mapped(arena, parts[0], lambda target: arena.concat(target, again))
    if kind == CONCAT:
        tail = node.parts[1]
        mapped = _mapped(arena, parts[0], lambda target: arena.concat(target, tail))
        return _merged(arena, [mapped, *parts[1:]], arena.either)
    if kind == NOT:
        return _mapped(arena, parts[0], arena.complement)
    if kind in (OR, AND):
        return _merged(arena, parts, arena.either if kind == OR else arena.both)
    return parts[0] if kind == DEFERRED else ([0], [arena.nothing])


def _one_of(arena: Arena, intervals: Intervals) -> Steps:
    starts: list[int] = []
    targets: list[Node] = []
    if intervals[0][0] > 0:
        starts, targets = [0], [arena.nothing]
    for low, high in intervals:
        starts.append(low)
        targets.append(arena.empty)
        if high < charset.LAST:
            starts.append(high + 1)
            targets.append(arena.nothing)
    return starts, targets


def _mapped(arena: Arena, several: Steps, change: Callable[[Node], Node]) -> Steps:
    """The step function with every expression changed."""
    starts, targets = several
    arena.spend(1 + (len(starts) >> 4))
    changed: dict[int, Node] = {}
    for target in targets:
        if target.id not in changed:
            changed[target.id] = change(target)
    return _coalesced(starts, [changed[target.id] for target in targets])


def _merged(arena: Arena, several: list[Steps], make: Callable[[Iterable[Node]], Node]) -> Steps:
    """One step function of several: what `make` makes of the expressions that they have at a code point."""
    if len(several) == 1:
        return several[0]
    events: dict[int, list[tuple[int, Node]]] = {}
    for number, (starts, targets) in enumerate(several):
        for start, target in zip(starts, targets, strict=True):
            events.setdefault(start, []).append((number, target))
    arena.spend(1 + (len(events) * (1 + len(several)) >> 4))
    current = [targets[0] for _, targets in several]
    made: dict[tuple[int, ...], Node] = {}
    merged: list[Node] = []
    order = sorted(events)
    for start in order:
        for number, target in events[start]:
            current[number] = target
        key = tuple([target.id for target in current])
        if key not in made:
            arena.spend(1)
            made[key] = make(current)
        merged.append(made[key])
    return _coalesced(order, merged)


def _coalesced(starts: list[int], targets: list[Node]) -> Steps:
    kept_starts, kept = [starts[0]], [targets[0]]
    for start, target in zip(starts, targets, strict=True):
        if target is not kept[-1]:
            kept_starts.append(start)
            kept.append(target)
    return kept_starts, kept
