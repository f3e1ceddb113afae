"""JSON values as the engine sees them: exact numbers, and keys under which equal values are equal.

1 equals 1.0, and True does not equal 1 (JSON Schema 2020-12 core, section 4.2.2). Decimals are exact: 0.3 is a multiple
of 0.1 here, which binary floats deny.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from fusion_contracts.schema.trouble import Undecided

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["Number", "ceil", "exact", "floor", "is_number", "json_number", "key_of"]

Number: TypeAlias = "int | Fraction"


def is_number(value: object) -> bool:
    """Whether a JSON value is a number (a boolean is none)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def exact(value: float) -> Number:
    """The number that a JSON literal stands for: an int where it is whole, else a Fraction of its decimal digits.

    Raises Undecided for what no JSON text holds (NaN, Infinity).
    """
    if isinstance(value, int):
        return value
    if not isfinite(value):
        raise Undecided(f"{value} is no JSON number")
    if value.is_integer():
        return int(value)
    from fractions import Fraction  # most schemas hold whole numbers, and this import costs milliseconds

    return Fraction(repr(value))


def floor(number: Number) -> int:
    """The greatest whole number that is not above."""
    return number if isinstance(number, int) else number.numerator // number.denominator


def ceil(number: Number) -> int:
    """The least whole number that is not below."""
    return -floor(-number)


def json_number(number: Number) -> int | float | None:
    """The number as a JSON value, or None where no float has exactly these digits."""
    if isinstance(number, int):
        return number
    if number.denominator == 1:
        return number.numerator
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if exact(value) == number else None


def key_of(value: Any) -> Hashable:
    """A hashable key; two values have the same key if and only if JSON Schema calls them equal."""
    if value is None or isinstance(value, (bool, str)):
        return (type(value).__name__, value)
    if isinstance(value, (int, float)):
        return ("number", exact(value))
    if isinstance(value, list):
        return ("array", tuple(map(key_of, value)))
    return ("object", frozenset((name, key_of(item)) for name, item in value.items()))
