"""Schemas as formulas: small immutable facts with numbers, so that equal parts of two schemas are one and the same.

A formula is an integer; a negative integer is its negation. `Space` holds what each number means, as a tuple:

    ("and", {f, ...})            every f holds; the empty one is TRUE
    ("any", {f, ...})            some f holds
    ("one", (f, ...))            exactly one holds
    ("if", c, t, e)              c and t, or not c and e
    ("ref", key)                 the formula that the key stands for (a cycle of references)
    ("opaque", reason, number?)  something that cannot be read; it is equal to itself, and nothing else is known of it
    ("type", mask)               the value is of one of these kinds
    ("enum", {key, ...})         the value is one of these
    ("min"|"max", n, strict) ("mult", n)                     numbers
    ("minlen"|"maxlen", n) ("pattern", p)                    strings
    ("req", name) ("prop", name, f) ("pat", p, f) ("addl", names, patterns, f)
    ("names", f) ("dep", name, f) ("minprops"|"maxprops", n)
    ("upr", conditions, contributions, f)                    objects (upr: unevaluatedProperties)
    ("prefix", i, f) ("items", start, f) ("contains", f, least, most) ("minitems"|"maxitems", n)
    ("unique",) ("uit", conditions, contributions, f)        arrays (uit: unevaluatedItems)

A fact about numbers says nothing of a string, and so on: it holds of every value of another kind.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from fusion_contracts.schema.language import Fuel
from fusion_contracts.schema.values import key_of

__all__ = [
    "ABOUT", "ALL", "ARRAY", "BOOLEAN", "FRACTION", "INTEGER", "KINDS", "KINDS_OF", "NULL", "OBJECT", "STRING", "Space",
    "kind_of",
]  # fmt: skip

NULL, BOOLEAN, INTEGER, FRACTION, STRING, ARRAY, OBJECT = (1 << i for i in range(7))
ALL = (1 << 7) - 1
NUMBER = INTEGER | FRACTION
KINDS_OF = {
    "null": NULL, "boolean": BOOLEAN, "integer": INTEGER, "number": NUMBER, "string": STRING, "array": ARRAY,
    "object": OBJECT,
}  # fmt: skip
OF_TYPE: dict[type, int] = {
    str: STRING, dict: OBJECT, list: ARRAY, bool: BOOLEAN, int: INTEGER, type(None): NULL,
}  # fmt: skip
KINDS = (STRING, INTEGER, BOOLEAN, OBJECT, ARRAY, NULL, FRACTION)  # the order in which a witness is looked for

# The kinds of value that a fact speaks of; it holds of every other.
ABOUT = {
    "min": NUMBER, "max": NUMBER, "mult": NUMBER, "minlen": STRING, "maxlen": STRING, "pattern": STRING,
    "req": OBJECT, "prop": OBJECT, "pat": OBJECT, "addl": OBJECT, "names": OBJECT, "dep": OBJECT, "minprops": OBJECT,
    "maxprops": OBJECT, "upr": OBJECT, "prefix": ARRAY, "items": ARRAY, "contains": ARRAY, "minitems": ARRAY,
    "maxitems": ARRAY, "unique": ARRAY, "uit": ARRAY,
}  # fmt: skip


def kind_of(value: Any) -> int:
    """The kind of a JSON value; 1.0 is an integer."""
    kind = OF_TYPE.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, float):
        return INTEGER if value.is_integer() else FRACTION
    return next(kind for python, kind in OF_TYPE.items() if isinstance(value, python))


class Kinds(dict[int, int]):
    """The kinds of value for which each signed formula may hold, never too few: found when first asked for."""

    def __init__(self, meaning: list[tuple[Any, ...]], values: dict[Hashable, Any]) -> None:
        super().__init__()
        self._meaning, self._values = meaning, values

    def __missing__(self, literal: int) -> int:
        self[literal] = ALL  # while it is computed: a cycle may hold for all
        mask = self[literal] = self._mask(literal)
        return mask

    def _mask(self, literal: int) -> int:
        meaning = self._meaning[abs(literal)]
        kind = meaning[0]
        positive = literal > 0
        if kind == "type":
            return int(meaning[1]) if positive else ALL & ~int(meaning[1])
        if kind == "enum":
            return self._enum_mask(meaning[1], positive=positive)
        if kind == "not":
            return self[-meaning[1] if positive else meaning[1]]
        if kind in ("and", "any"):
            masks = [self[part if positive else -part] for part in meaning[1]]
            return _meet(masks) if (kind == "and") == positive else _join(masks)
        if kind == "one":
            return _join(self[part] for part in meaning[1]) if positive else ALL
        if kind == "if":
            condition, then, otherwise = meaning[1:] if positive else (meaning[1], -meaning[2], -meaning[3])
            return (self[condition] & self[then]) | (self[-condition] & self[otherwise])
        return ALL

    def _enum_mask(self, keys: frozenset[Hashable], *, positive: bool) -> int:
        if positive:
            return _join(kind_of(self._values[key]) for key in keys)
        mask = ALL
        if key_of(None) in keys:
            mask &= ~NULL
        if key_of(True) in keys and key_of(False) in keys:
            mask &= ~BOOLEAN
        return mask


class Space:
    """The formulas of one comparison, each stored once."""

    def __init__(self) -> None:
        self.meaning: list[tuple[Any, ...]] = [()]
        self._number: dict[tuple[Any, ...], int] = {}
        self._targets: dict[int, Callable[[], int]] = {}  # what a ("ref", key) stands for, once all is built
        self.values: dict[Hashable, Any] = {}  # the JSON value behind an enum's key
        self.shown: dict[tuple[str, int], list[Any]] = {}  # where the old contract shows a (name, formula): its schemas
        self.fuel = Fuel()  # for its patterns
        self.may = Kinds(self.meaning, self.values)
        self.true = self.make("and", frozenset())
        self.false = self.make("type", 0)

    @property
    def widths(self) -> list[int]:
        """How many branches each union has."""
        return [len(meaning[1]) for meaning in self.meaning[1:] if meaning[0] in ("any", "one")]

    @property
    def ways(self) -> int:
        """How many ways all choices have together: branches, conditions that hold or do not, and what may be untrue."""
        return sum(self.widths) + 2 * sum(meaning[0] in ("dep", "if", "not") for meaning in self.meaning[1:])

    @property
    def parts(self) -> int:
        """How many parts all conjunctions have together."""
        return sum(len(meaning[1]) for meaning in self.meaning[1:] if meaning[0] == "and")

    def make(self, *meaning: Any) -> int:
        """The number of a formula."""
        number = self._number.get(meaning)
        if number is None:
            number = len(self.meaning)
            self._number[meaning] = number
            self.meaning.append(meaning)
            about = ABOUT.get(meaning[0])
            if about is not None:  # it holds of every other kind of value
                self.may[number], self.may[-number] = ALL, about
        return number

    def later(self, reference: int, target: Callable[[], int]) -> int:
        """A reference into a schema that is still being built; returns the reference."""
        self._targets.setdefault(reference, target)
        return reference

    def target(self, reference: int) -> int:
        """What a reference stands for."""
        return self._targets[reference]()

    @property
    def refers(self) -> bool:
        """Whether there is any reference."""
        return bool(self._targets)

    def meant(self, literal: int) -> int:
        """A signed formula, or the one that it refers to: a definition is one formula, however it is reached."""
        seen: set[int] = set()
        while self.meaning[abs(literal)][0] == "ref" and literal not in seen:
            seen.add(literal)
            target = self.target(abs(literal))
            literal = target if literal > 0 else -target
        return literal

    def both(self, parts: Iterable[int]) -> int:
        """Every part holds (formulas without a sign)."""
        flat: set[int] = set()
        for part in parts:
            meaning = self.meaning[part]
            if meaning[0] == "and":
                flat |= meaning[1]
            else:
                flat.add(part)
        if self.false in flat:
            return self.false
        return next(iter(flat)) if len(flat) == 1 else self.make("and", frozenset(flat))

    def either(self, parts: Iterable[int]) -> int:
        """Some part holds (formulas without a sign)."""
        flat: set[int] = set()
        for part in parts:
            meaning = self.meaning[part]
            if meaning[0] == "any":
                flat |= meaning[1]
            else:
                flat.add(part)
        flat.discard(self.false)
        if self.true in flat:
            return self.true
        if not flat:
            return self.false
        return next(iter(flat)) if len(flat) == 1 else self.make("any", frozenset(flat))

    def negation(self, part: int) -> int:
        """The part does not hold, as a formula of its own."""
        meaning = self.meaning[part]
        if meaning[0] == "not":
            return int(meaning[1])
        if part == self.true:
            return self.false
        return self.true if part == self.false else self.make("not", part)

    def enum(self, values: Iterable[Any]) -> int:
        """The value is one of these."""
        keys = set()
        for value in values:
            key = key_of(value)
            self.values.setdefault(key, value)
            keys.add(key)
        return self.make("enum", frozenset(keys)) if keys else self.false


def _meet(masks: Iterable[int]) -> int:
    result = ALL
    for mask in masks:
        result &= mask
    return result


def _join(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result
