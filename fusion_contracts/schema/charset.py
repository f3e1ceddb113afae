"""Sets of code points as sorted, disjoint, inclusive intervals, and the named sets of ECMA-262 and Unicode."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

__all__ = [
    "ANY",
    "DIGIT",
    "DOT",
    "LAST",
    "NONE",
    "SPACE",
    "WORD",
    "Intervals",
    "contains",
    "intersect",
    "named",
    "negate",
    "normal",
    "subset",
    "union",
]

Intervals: TypeAlias = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
NONE: Intervals = ()
ANY: Intervals = ((0, LAST),)


def normal(pairs: Iterable[tuple[int, int]]) -> Intervals:
    """Sort and join intervals, so that equal sets are equal tuples."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if joined and low <= joined[-1][1] + 1:
            if high > joined[-1][1]:
                joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return tuple(joined)


def union(*sets: Intervals) -> Intervals:
    """The code points that are in any of the sets."""
    return sets[0] if len(sets) == 1 else normal(pair for one in sets for pair in one)


def negate(one: Intervals) -> Intervals:
    """The code points that are not in the set."""
    rest: list[tuple[int, int]] = []
    start = 0
    for low, high in one:
        if low > start:
            rest.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        rest.append((start, LAST))
    return tuple(rest)


def intersect(one: Intervals, other: Intervals) -> Intervals:
    """The code points that are in both sets."""
    if one == ANY:
        return other
    if other == ANY:
        return one
    shared: list[tuple[int, int]] = []
    i = j = 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if low <= high:
            shared.append((low, high))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(shared)


def contains(one: Intervals, code: int) -> bool:
    """Whether the code point is in the set."""
    at = bisect_right(one, (code, LAST + 1)) - 1
    return at >= 0 and one[at][1] >= code


def subset(one: Intervals, other: Intervals) -> bool:
    """Whether every code point of the first set is in the other."""
    return intersect(one, other) == one


def _points(text: str) -> Intervals:
    return normal((ord(char), ord(char)) for char in text)


DIGIT: Intervals = ((0x30, 0x39),)
WORD: Intervals = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# WhiteSpace and LineTerminator of ECMA-262: U+0085 is neither, U+FEFF is white space.
SPACE: Intervals = normal(
    (
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    )
)
DOT: Intervals = negate(_points("\n\r\u2028\u2029"))

_CATEGORIES = (
    "C Other, Cc Control cntrl, Cf Format, Cn Unassigned, Co Private_Use, Cs Surrogate, L Letter, LC Cased_Letter, "
    "Ll Lowercase_Letter, Lm Modifier_Letter, Lo Other_Letter, Lt Titlecase_Letter, Lu Uppercase_Letter, "
    "M Mark Combining_Mark, Mc Spacing_Mark, Me Enclosing_Mark, Mn Nonspacing_Mark, N Number, "
    "Nd Decimal_Number digit, Nl Letter_Number, No Other_Number, P Punctuation punct, Pc Connector_Punctuation, "
    "Pd Dash_Punctuation, Pe Close_Punctuation, Pf Final_Punctuation, Pi Initial_Punctuation, "
    "Po Other_Punctuation, Ps Open_Punctuation, S Symbol, Sc Currency_Symbol, Sk Modifier_Symbol, Sm Math_Symbol, "
    "So Other_Symbol, Z Separator, Zl Line_Separator, Zp Paragraph_Separator, Zs Space_Separator"
)
# Not here: what unicodedata cannot tell exactly (Script, Alphabetic, Emoji and their kin).
_BINARY = ("ASCII", "ASCII_Hex_Digit", "Any", "Assigned", "Lowercase", "Uppercase", "White_Space")
_SHORT = {"AHex": "ASCII_Hex_Digit", "Lower": "Lowercase", "Upper": "Uppercase", "space": "White_Space"}


def named(name: str, value: str | None = None) -> Intervals | None:
    r"""The set of `\p{name}` or `\p{name=value}`, spelled as ECMA-262 spells it; None when it is not known here.

    General categories come from the running Python's Unicode version.
    """
    if value is not None:
        return _category(value) if name in ("General_Category", "gc") else None
    name = _SHORT.get(name, name)
    return _binary(name) if name in _BINARY else _category(name)


@lru_cache(maxsize=64)
def _category(name: str) -> Intervals | None:
    for entry in _CATEGORIES.split(", "):
        names = entry.split(" ")
        if name in names:
            short = names[0]
            wanted = ("Ll", "Lt", "Lu") if short == "LC" else (short,)
            return normal(pair for key, pairs in _table().items() if key.startswith(wanted) for pair in pairs)
    return None


@lru_cache(maxsize=16)
def _binary(name: str) -> Intervals:
    match name:
        case "Any":
            return ANY
        case "ASCII":
            return ((0, 0x7F),)
        case "ASCII_Hex_Digit":
            return _points("0123456789abcdefABCDEF")
        case "White_Space":
            return union(intersect(SPACE, negate(_points("\ufeff"))), _points("\x85"))
        case "Lowercase":
            return normal((code, code) for code in _scanned() if chr(code).islower())
        case "Uppercase":
            return normal((code, code) for code in _scanned() if chr(code).isupper())
        case _:  # Assigned
            return negate(_category("Cn") or NONE)


def _scanned() -> Iterator[int]:
    """The code points worth asking about: planes 4 to 13 and most of 14 are unassigned, 15 and 16 private."""
    yield from range(0x40000)
    yield from range(0xE0000, 0xE1000)


@lru_cache(maxsize=1)
def _table() -> dict[str, list[tuple[int, int]]]:
    """Every general category's intervals, in one pass of some 30 ms, made when the first pattern asks for it."""
    import unicodedata
    from itertools import groupby

    table: dict[str, list[tuple[int, int]]] = {
        "Cn": [(0x40000, 0xDFFFF), (0xE1000, 0xEFFFF), (0xFFFFE, 0xFFFFF), (0x10FFFE, 0x10FFFF)],
        "Co": [(0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)],
    }
    for first, end in ((0, 0x40000), (0xE0000, 0xE1000)):
        start = first
        for category, run in groupby(map(unicodedata.category, map(chr, range(first, end)))):
            length = sum(1 for _ in run)
            table.setdefault(category, []).append((start, start + length - 1))
            start += length
    return table
