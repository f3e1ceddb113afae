"""The small tools that take a parsed lock apart: every value is checked, and what is wrong is said with its path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, TypeVar

from fusion_contracts.canonical import printable
from fusion_contracts.lockfile.digest import KINDS
from fusion_contracts.lockfile.writer import ESCAPES, MAX_BITS, MAX_LEVELS, key
from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["ShapeError", "Table", "restore"]

T = TypeVar("T")


class ShapeError(ValueError):
    """TOML that is not a lock. Gathers its path while it is passed upwards; `str()` is the sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path: list[str | int] = []

    def __str__(self) -> str:
        dotted = "".join(f"[{name}]" if isinstance(name, int) else f".{key(name)}" for name in reversed(self.path))
        return f"{dotted.removeprefix('.') or 'the lock'} {self.reason}"


# --- values ----------------------------------------------------------------------------------------------------------

_DIGITS = re.compile("-?(?:0|[1-9][0-9]{0,4299})")


def restore(value: Any, level: int = 1) -> JsonValue:
    """The JSON value that `writer` wrote, undoing its escapes in place. Raises ShapeError."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:  # in hexadecimal TOML takes any length, and nothing else here does
            raise ShapeError("is an integer of more than 4,300 digits")
        return value
    if isinstance(value, dict):
        return _restore_object(value, level)
    if isinstance(value, list):
        _restore_items(value, enumerate(value), level)
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    kind = "a number that JSON does not have" if isinstance(value, float) else f"a {type(value).__name__}"
    raise ShapeError(f"is {kind}, not a JSON value")


def _restore_object(value: dict[str, Any], level: int) -> JsonValue:
    if len(value) == 1 and not ESCAPES.isdisjoint(value):
        return _unescape(*next(iter(value.items())), level)
    _restore_items(value, value.items(), level)
    return value


def _restore_items(into: Any, items: Any, level: int) -> None:
    if level > MAX_LEVELS:
        raise ShapeError(f"is nested deeper than {MAX_LEVELS} levels")
    for name, item in items:
        if isinstance(item, (str, bool)):
            continue
        try:
            into[name] = restore(item, level + 1)
        except ShapeError as error:
            error.path.append(name)
            raise


def _unescape(name: str, inner: Any, level: int) -> JsonValue:
    if name == "$null" and inner is True:
        return None
    if name == "$integer" and isinstance(inner, str) and _DIGITS.fullmatch(inner):
        return int(inner)
    if name == "$literal" and isinstance(inner, dict) and len(inner) == 1:
        _restore_items(inner, inner.items(), level)
        return inner
    raise ShapeError(f'holds "{name}" with a value that it cannot have')


# --- tables ----------------------------------------------------------------------------------------------------------


class Table:
    """One table of the lock. What is read is taken out, so that what is left at the end is unknown."""

    def __init__(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise ShapeError("must be a table")
        self._left = value

    def text(self, name: str) -> str | None:
        """Text, or None where the key is absent."""
        return self.optional(name, _text)

    def needed(self, name: str) -> str:
        """Text that cannot be absent."""
        value = self.text(name)
        if value is None:
            raise ShapeError(f'has no "{name}"')
        return value

    def flag(self, name: str) -> bool:
        """True or false; false where the key is absent."""
        return self.optional(name, _flag) or False

    def texts(self, name: str) -> tuple[str, ...]:
        """An array of texts."""
        return _inside(name, _texts, self._left.pop(name, []))

    def text_table(self, name: str) -> dict[str, str]:
        """A table of texts, sorted."""
        table = self.object(name)
        return {inner: _inside(name, _inside, inner, _text, table[inner]) for inner in sorted(table)}

    def value(self, name: str) -> JsonValue:
        """A JSON value, or None where the key is absent."""
        return self.optional(name, restore)

    def object(self, name: str) -> JsonObject:
        """A JSON object, empty where the key is absent."""
        return _inside(name, _object, self._left.pop(name, {}))

    def entries(self, name: str, read: Callable[[str, Any], T]) -> Iterator[tuple[str, T]]:
        """The entries of a table of tables by name, sorted, each read by `read`."""
        table = self._left.pop(name, {})
        if not isinstance(table, dict):
            raise ShapeError(f'must have a table in "{name}"')
        for inner in sorted(table):
            yield inner, _inside(name, _inside, inner, read, inner, table[inner])

    def digests(self) -> dict[str, str]:
        """The stored digests by kind; what is missing is left out."""
        found = {kind: self.text(f"{kind}_digest") for kind in KINDS}
        return {kind: digest for kind, digest in found.items() if digest is not None}

    def array(self, name: str, read: Callable[[Any], T]) -> list[T]:
        """The elements of an array, each read by `read`."""
        array = self._left.pop(name, [])
        if not isinstance(array, list):
            raise ShapeError(f'must have an array in "{name}"')
        return [_inside(name, _inside, index, read, item) for index, item in enumerate(array)]

    def optional(self, name: str, read: Callable[[Any], T]) -> T | None:
        """What `read` makes of a key's value, or None where the key is absent."""
        return _inside(name, read, self._left.pop(name)) if name in self._left else None

    def has(self, name: str) -> bool:
        """Whether the key is there and not yet read."""
        return name in self._left

    def close(self) -> None:
        """Refuse what nobody asked for: a typing mistake must not pass in silence."""
        for name in self._left:
            raise ShapeError(f'holds the unknown key "{printable(name)}"')


def _inside(name: str | int, read: Callable[..., T], *arguments: Any) -> T:
    """Call `read`, and put `name` before the path of what it finds wrong."""
    try:
        return read(*arguments)
    except ShapeError as error:
        error.path.append(name)
        raise


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ShapeError("must be text")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ShapeError("must be true or false")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ShapeError("must be an array of texts")
    return tuple(value)


def _object(value: Any) -> JsonObject:
    restored = restore(value)
    if not isinstance(restored, dict):
        raise ShapeError("must be a table")
    return restored
