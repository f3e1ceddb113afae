"""One call that is being explained: the live schema, the arguments, and what is known of older contracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.deltas import Delta
from fusion_contracts.runtime.echo import is_secret
from fusion_contracts.runtime.shape import ABSENT, BRANCHES, Flat, Path, Shape, step_into

__all__ = ["Call", "UnknownPolicy", "beside", "checked_policy", "inside", "place"]

UnknownPolicy: TypeAlias = Literal["auto", "warn", "reject", "ignore"]

_MOST_NODES = 2_000
_MOST_SEARCHED = 500


@dataclass(frozen=True, slots=True)
class Call:
    """`gone` holds, by their place, the arguments that the live contract no longer has.

    `redact` are names whose values are never shown, besides those that are secret by their ending.
    """

    action: str
    arguments: JsonValue
    schema: JsonValue
    shape: Shape
    gone: Mapping[str, Delta] = field(default_factory=dict)
    unknown: UnknownPolicy = "auto"
    redact: frozenset[str] = frozenset()

    def hides(self, path: Path, arguments: JsonValue = ABSENT) -> bool:
        """Whether what stands at a path must not be repeated: by a name on the way, or because the schema says so.

        `arguments` are those in which it stands, the ones sent by default. Of a union any branch that says so counts:
        what is wrong fits the wrong one.
        """
        if self._is_named_secret(path):
            return True
        sent = self.arguments if arguments is ABSENT else arguments
        ways = (self.shape.at(path[:end], held) for end in range(1, len(path) + 1) for held in (sent, ABSENT))
        return any(map(_confidential, ways)) or self.shape.exhausted

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

    def secrets(self) -> list[str]:
        """Texts that were sent where nothing may be repeated, of a bounded part of the arguments."""
        paths = islice(_names(self.arguments, deep=True), _MOST_SEARCHED)
        secret = (path for path in paths if self._is_named_secret(path) or (len(path) == 1 and self.hides(path)))
        return [value for path in secret if isinstance(value := inside(self.arguments, path), str)]

    def _is_named_secret(self, path: Path) -> bool:
        hidden = {_plain(name) for name in self.redact}  # a model that errs may err in the spelling
        return any(isinstance(step, str) and (_plain(step) in hidden or is_secret(step)) for step in path)

    def gone_names(self, arguments: JsonValue) -> Iterator[tuple[Path, Delta]]:
        """The sent arguments that a delta says are gone, and that the live schema indeed does not know."""
        if not self.gone:
            return
        deep = any("." in name or "[" in name for name in self.gone)
        for path in _names(arguments, deep=deep):
            delta = self.gone.get(place(path))
            if delta is not None and path[-1] not in self.shape.names(path[:-1], arguments):
                yield path, delta


def checked_policy(unknown: UnknownPolicy) -> UnknownPolicy:
    """The policy itself. Raises ValueError on any other: a misspelt one would let through what it should refuse."""
    if unknown not in get_args(UnknownPolicy):
        raise ValueError(f"unknown must be one of {', '.join(get_args(UnknownPolicy))}, not {unknown!r:.40}")
    return unknown


def _confidential(flat: Flat) -> bool:
    said = flat.get("writeOnly") is True or flat.get("format") == "password"
    branches = flat.get(BRANCHES)
    return said or (isinstance(branches, list) and any(map(_confidential, branches)))


def place(path: Path) -> str:
    """A path with its indexes left open, as deltas name places: `fields[].ref`."""
    if len(path) == 1 and isinstance(path[0], str):
        return path[0]
    text = ""
    for step in path:
        text += "[]" if isinstance(step, int) else f".{step}" if text else step
    return text


def beside(successor: str, parent: Path) -> str:
    """The name of a place that stands in the object at a path; names may hold dots."""
    lead = place(parent)
    return successor.removeprefix(f"{lead}.") if lead else successor


def inside(value: JsonValue, path: Path) -> JsonValue:
    """What stands at a path; ABSENT where nothing does."""
    for step in path:
        value = step_into(value, step)
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


def _plain(name: str) -> str:
    """A name without what spellings differ in."""
    return name.casefold().replace("_", "").replace("-", "")
