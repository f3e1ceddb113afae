"""Numbers for JSON texts: equal numbers, equal texts.

Each object is read once, so that a walk over a deep document asks about every level without reading all below it again.
"""

from __future__ import annotations

from typing import Any

from fusion_contracts.canonical import text_of
from fusion_contracts.schema.document import may_refer

__all__ = ["Identity"]


class Identity:
    """Remembers the number of each object, and whether a `$ref` stands in it. Objects are kept alive."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._known: dict[int, tuple[Any, int, bool]] = {}
        self._different: dict[tuple[int, int], tuple[Any, Any]] = {}

    def same(self, left: Any, right: Any) -> bool:
        """Equal as JSON text would be: True is not 1, and 1 is not 1.0; the order of names does not count."""
        if left is right or not isinstance(left, (dict, list)):
            return left is right or (type(left) is type(right) and bool(left == right))
        if not isinstance(right, (dict, list)) or (id(left), id(right)) in self._different:
            return False
        return self.number(left) == self.number(right)

    def merged(self, old: Any, new: Any) -> Any:
        """The new document with parts of the old one in the place of those that are the same.

        What is known of an object is known of both documents then, and most of two versions is the same.
        """
        if isinstance(old, dict) and isinstance(new, dict):
            names: Any = [name for name in new if name in old]
        elif isinstance(old, list) and isinstance(new, list):
            names = range(min(len(old), len(new)))
        else:
            return old if self.same(old, new) else new
        alike: list[Any] = []
        other: list[Any] = []
        for name in names:  # nearly all that differs stops at `==`
            (alike if old[name] == new[name] else other).append(name)
        parts: Any = new.copy()
        if text_of([old[name] for name in alike]) == text_of([new[name] for name in alike]) is not None:
            for name in alike:
                parts[name] = old[name]
        else:
            other += alike
        held = len(old) == len(new) == len(names)
        for name in other:
            parts[name] = self.merged(old[name], new[name])
            held = held and parts[name] is old[name]
        if held:
            return old
        self._different[id(old), id(parts)] = old, parts
        return parts

    def number(self, value: Any) -> int:
        """The number of a JSON text: the same for each that `same` calls equal."""
        return self._read(value)[0]

    def has_reference(self, value: Any) -> bool:
        """Whether `$ref` is a name anywhere inside."""
        return may_refer(value) and self._read(value)[1]

    def _read(self, value: Any) -> tuple[int, bool]:
        if not isinstance(value, (dict, list)):
            return self._number((type(value), value)), False
        known = self._known.get(id(value))
        if known is not None:
            return known[1], known[2]
        named = isinstance(value, dict)
        refers = named and "$ref" in value
        parts: list[tuple[Any, int]] = []
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            number, inside = self._read(item)
            parts.append((name, number))
            refers = refers or inside
        number = self._number((named, frozenset(parts)))
        self._known[id(value)] = (value, number, refers)
        return number, refers

    def _number(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
