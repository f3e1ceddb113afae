"""The smallest witness: leave out what is not needed to show the break."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

__all__ = ["shrink", "smaller"]

MOST_TRIES = 60
MOST_LEVELS = 200  # tries for a part in the place of what holds it
MOST_LOOKS = 50_000  # at values, in all tries of a kind
NONE_LEFT: Any = object()
Less: TypeAlias = Callable[[Any], Iterator[Any]]


def shrink(value: Any, holds: Callable[[Any], bool]) -> Any:
    """A value from which no name and no item can be left out without `holds` failing, nor a turn of a recursion.

    A large value is tried less often.
    """
    looks = MOST_LOOKS // (1 + sum(map(len, _layers(value))))
    value = _least(value, holds, _inside, min(MOST_LEVELS, looks))
    return _least(value, holds, _without_one, min(MOST_TRIES, looks))


def smaller(value: Any) -> Iterator[Any]:
    """The value without one name or one item, some of many."""
    return islice(_smaller(value, _without_one), MOST_TRIES)


def _least(value: Any, holds: Callable[[Any], bool], less: Less, tries: int) -> Any:
    """The value after as many tries to have something less in it, each time from the start."""
    candidates = _smaller(value, less)
    for _ in range(tries - 1):
        lesser = next(candidates, NONE_LEFT)
        if lesser is NONE_LEFT:
            break
        if holds(lesser):
            value, candidates = lesser, _smaller(lesser, less)
    return value


def _smaller(value: Any, less: Less) -> Iterator[Any]:
    """The value with something less at one place in it, the outermost first."""
    yield from less(value)
    if isinstance(value, dict):
        for name, item in value.items():
            for lesser in _smaller(item, less):
                yield {**value, name: lesser}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for lesser in _smaller(item, less):
                yield [*value[:index], lesser, *value[index + 1 :]]


def _without_one(value: Any) -> Iterator[Any]:
    """The value without one name or one item."""
    if isinstance(value, dict):
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]


def _inside(value: Any) -> Iterator[Any]:
    """The objects in an object, the arrays in an array, the innermost first."""
    for layer in reversed(_layers(value)) if isinstance(value, (dict, list)) else ():
        yield from (item for item in layer if type(item) is type(value))


def _layers(value: Any) -> list[list[Any]]:
    """All that is in a value, level by level."""
    layers = [[value]]
    while layers[-1]:
        holders = [item for item in layers[-1] if isinstance(item, (dict, list))]
        layers.append([part for item in holders for part in (item.values() if isinstance(item, dict) else item)])
    return layers[1:]
