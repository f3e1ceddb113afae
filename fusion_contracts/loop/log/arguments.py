"""What is kept of a failed call's arguments: types and digests, and values only where somebody asked for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import Any

from fusion_contracts.canonical import canonical_json, printable
from fusion_contracts.loop.log.said import named
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.echo import HIDDEN_VALUE, is_secret

__all__ = ["digests", "values"]

_MOST = 50  # arguments of one call
_DEEPEST = 32
_ROOM = 10_000  # characters, and values, of one call
_LARGEST = 10**300  # no database of logs has a use for more digits, and Python writes no more than 4,300
_CUT = "..."
_BYTES = 4  # of a digest: enough to see that a value was sent again

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}


def digests(arguments: JsonValue, run: str) -> JsonObject:
    """Each argument's type and a short digest: equal values of a run have equal ones, those of two runs have not.

    Of what has a secret's name the type alone: who knows the run can check a guess against a digest.
    """
    if not isinstance(arguments, dict):
        return {"": _type(arguments)}
    key = run.encode(errors="replace")[:64]
    return {named(name): _described(name, value, key) for name, value in islice(arguments.items(), _MOST)}


def _described(name: Any, value: JsonValue, key: bytes) -> str:
    kind = _type(value)
    if is_secret(str(name)) or value is None:
        return kind
    try:
        digest = blake2b(canonical_json(value), key=key, digest_size=_BYTES)
    except (TypeError, ValueError, RecursionError):
        return kind
    return f"{kind}:{digest.hexdigest()}"


def _type(value: JsonValue) -> str:
    return "null" if value is None else _TYPES.get(type(value), "other")


def values(arguments: JsonValue) -> JsonObject:
    """The arguments themselves; what has a secret's name is hidden at any depth, what is no JSON becomes its type.

    Of many the first, of long texts the beginning: `...` stands where something was left out.
    """
    shown = _Shown().of(arguments, _DEEPEST)
    return shown if isinstance(shown, dict) else {"": shown}


class _Shown:
    """The values of one call, as long as there is room for them."""

    def __init__(self) -> None:
        self._room = _ROOM

    def of(self, value: JsonValue, depth: int) -> JsonValue:
        """The value, or what is left of it."""
        if isinstance(value, str):
            text = value[: max(self._room, 0)]
            self._room -= len(text)
            return printable(text) + (_CUT if len(text) < len(value) else "")
        self._room -= 1
        if isinstance(value, float):
            return value if math.isfinite(value) else _type(value)
        if value is None or (isinstance(value, int) and abs(value) < _LARGEST):  # true and false too
            return value
        if depth and isinstance(value, dict):
            return dict(self._members(value, depth - 1))
        if depth and isinstance(value, list | tuple):
            return list(self._items(value, depth - 1))
        return _type(value)

    def _members(self, value: JsonObject, depth: int) -> Iterator[tuple[str, JsonValue]]:
        for key, item in value.items():
            if self._room <= 0:
                yield _CUT, _CUT
                return
            name = named(key)
            self._room -= len(name)
            yield name, HIDDEN_VALUE if is_secret(str(key)) else self.of(item, depth)

    def _items(self, value: Iterable[JsonValue], depth: int) -> Iterator[JsonValue]:
        for item in value:
            if self._room <= 0:
                yield _CUT
                return
            yield self.of(item, depth)
