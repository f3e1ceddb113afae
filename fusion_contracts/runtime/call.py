"""One call that is being explained: the live schema, the arguments, and what is known of older contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.deltas import Delta
from fusion_contracts.runtime.shape import ABSENT, Path, Shape

__all__ = ["Call", "UnknownPolicy", "inside", "place"]

UnknownPolicy: TypeAlias = Literal["auto", "warn", "reject", "ignore"]

_MOST_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Call:
    """`gone` holds, by their place, the arguments that the live contract no longer has."""

    action: str
    arguments: JsonValue
    schema: JsonValue
    shape: Shape
    gone: Mapping[str, Delta] = field(default_factory=dict)
    unknown: UnknownPolicy = "auto"

    def unknown_names(self, path: Path, arguments: JsonValue) -> list[str]:
        """The names sent in the object at a path that the schema does not know; none where it takes any name."""
        value = inside(arguments, path)
        if not isinstance(value, dict):
            return []
        flat = self.shape.at(path, arguments)
        known = flat.get("properties")
        if not isinstance(known, dict) or "patternProperties" in flat:
            return []
        return [name for name in value if isinstance(name, str) and name not in known]

    def gone_names(self, arguments: JsonValue) -> Iterator[tuple[Path, Delta]]:
        """The sent arguments that a delta says are gone, and that the live schema indeed does not know."""
        if not self.gone:
            return
        deep = any("." in name or "[" in name for name in self.gone)
        for path in _names(arguments, deep=deep):
            delta = self.gone.get(place(path))
            if delta is not None and path[-1] not in self.shape.names(path[:-1], arguments):
                yield path, delta


def place(path: Path) -> str:
    """A path with its indexes left open, as deltas name places: `fields[].ref`."""
    if len(path) == 1 and isinstance(path[0], str):
        return path[0]
    text = ""
    for step in path:
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
    return text


def inside(value: JsonValue, path: Path) -> JsonValue:
    """What stands at a path; ABSENT where nothing does."""
    for step in path:
        listed = isinstance(value, (list, tuple)) and isinstance(step, int) and -1 < step < len(value)
        if not listed and not (isinstance(value, dict) and step in value):
            return ABSENT
        value = value[step]
    return value


def _names(value: JsonValue, *, deep: bool) -> Iterator[Path]:
    """The paths to the names in the arguments, of a bounded part of them."""
    stack: list[tuple[Path, Any]] = [((), value)]
    for _ in range(_MOST_NODES):
        if not stack:
            return
        path, here = stack.pop()
        if isinstance(here, dict):
            names = [name for name in here if isinstance(name, str)][:_MOST_NODES]
            yield from ((*path, name) for name in names)
            stack += [((*path, name), here[name]) for name in names] if deep else []
        elif isinstance(here, (list, tuple)):
            stack += [((*path, index), item) for index, item in enumerate(here[:_MOST_NODES])]
