"""The smallest witness: leave out what is not needed to show the break."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["shrink"]

MOST_TRIES = 60
NONE_LEFT: Any = object()


def shrink(value: Any, holds: Callable[[Any], bool]) -> Any:
    """A value from which no name and no item can be left out without `holds` failing."""
    candidates = _smaller(value)
    for _ in range(MOST_TRIES - 1):
        smaller = next(candidates, NONE_LEFT)
        if smaller is NONE_LEFT:
            break
        if holds(smaller):
            value, candidates = smaller, _smaller(smaller)
    return value


def _smaller(value: Any) -> Iterator[Any]:
    """Every value with one name or one item left out, the outermost first."""
    if isinstance(value, dict):
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
        for name, item in value.items():
            for smaller in _smaller(item):
                yield {**value, name: smaller}
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
        for index, item in enumerate(value):
            for smaller in _smaller(item):
                yield [*value[:index], smaller, *value[index + 1 :]]
