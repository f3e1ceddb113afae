"""JSON values as TOML 1.0 text whose shape depends on depth and type alone.

tomli-w cannot write this: it breaks arrays and inline tables by line width (one longer description would rewrite its
neighbours), turns CR LF into LF, and has no null and no guard for numbers that TOML leaves to chance. So this small
writer: a table's plain entries come first, then its sub-tables, keys sorted; an array holds one element a line; an
inline table is one line; text with line breaks is a multi-line string.

TOML lacks three things that JSON has. They are written so that a reader sees them:

    { "$null" = true }                        null
    { "$integer" = "18446744073709551616" }   an integer beyond 64 bits
    { "$literal" = { "$null" = true } }       an object that really has one of these three as its only key
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import isfinite
from typing import Any

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.model import JsonValue

__all__ = ["ESCAPES", "MAX_BITS", "MAX_LEVELS", "UnwritableError", "key", "write_table"]

ESCAPES = frozenset({"$null", "$integer", "$literal"})
MAX_LEVELS = 64  # of arrays and objects in one stored value
MAX_BITS = 14_000  # Python converts at most 4,300 digits between text and integer, which is a little more
_INTEGERS = range(-(2**63), 2**63)
_SURROGATES = range(0xD800, 0xE000)
_BMP = 0xFFFF


class UnwritableError(ValueError):
    """TOML, or the limit on nesting, has no place for a value. Callers find it by `limits` and name it."""


# --- strings ---------------------------------------------------------------------------------------------------------

_BARE = re.compile("[A-Za-z0-9_-]+")
_NAMED = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def key(name: str) -> str:
    """A key: bare where TOML allows it, else quoted."""
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    return f'"{_in_line().sub(_escape, text)}"'


def _text(text: str) -> str:
    """A string as the value of a table's own key. A carriage return cannot stand in a multi-line string."""
    if "\n" not in text or "\r" in text:
        return _quoted(text)
    return f'"""\n{_in_lines().sub(_escape, text)}"""'


@cache  # compiled when something is written, not at start-up
def _in_line() -> re.Pattern[str]:
    """What is escaped in a string on one line."""
    return re.compile(f'["\\\\]|{HIDDEN.pattern}')


@cache
def _in_lines() -> re.Pattern[str]:
    """What is escaped in a multi-line string."""
    return re.compile(
        r"\\"
        r'|"(?="")|"\Z'  # a run of quotes never closes the string
        r"|[ \t](?=\n)"  # editors and hooks strip white space at a line's end
        r"|^(?:<{7}|={7}|>{7}|\|{7})(?=[ \t\n])"  # prose that git, and our reader, would take for a conflict marker
        rf"|(?![\n\t])(?:{HIDDEN.pattern})",
        re.MULTILINE,
    )


def _escape(found: re.Match[str]) -> str:
    """Escape the first character found; what follows it stays."""
    first, rest = found.group()[0], found.group()[1:]
    if first in _NAMED:
        return _NAMED[first] + rest
    code = ord(first)
    if code in _SURROGATES:
        raise UnwritableError
    return (f"\\u{code:04X}" if code <= _BMP else f"\\U{code:08X}") + rest


# --- values ----------------------------------------------------------------------------------------------------------


def _inline(value: JsonValue, depth: int) -> str:
    """A value on one line. `depth` counts the arrays and objects around it."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return _inline_table(value, depth + 1)
    if isinstance(value, list):
        return f"[{', '.join(_elements(value, depth + 1))}]"
    return _scalar(value)


def _inline_table(value: Mapping[str, Any], depth: int) -> str:
    if depth > MAX_LEVELS:
        raise UnwritableError
    if not value:
        return "{}"
    pairs = ", ".join(f"{key(name)} = {_inline(value[name], depth)}" for name in sorted(value))
    return f'{{ "$literal" = {{ {pairs} }} }}' if _looks_escaped(value) else f"{{ {pairs} }}"


def _elements(values: list[Any], depth: int) -> Iterable[str]:
    if depth > MAX_LEVELS:
        raise UnwritableError
    return (_inline(value, depth) for value in values)


def _scalar(value: JsonValue) -> str:
    if value is None:
        return '{ "$null" = true }'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value in _INTEGERS else f'{{ "$integer" = "{value}" }}'
    if isinstance(value, float) and isfinite(value):
        return float.__repr__(value)
    raise UnwritableError


def _looks_escaped(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and not ESCAPES.isdisjoint(value)


# --- tables ----------------------------------------------------------------------------------------------------------


def write_table(  # noqa: PLR0913 - the recursion's own state
    into: list[str], path: str, table: Mapping[str, Any], *, levels: int, depth: int = 1, ordered: bool = False
) -> None:
    """Append the text of a table and of its sub-tables to `into`, each ending in a line break.

    `path` is the written header. Objects are tables down to `levels` below this one, and inline from there. `ordered`
    keeps the given order of the sub-tables, here and not further down. `depth` counts the objects that make up the
    stored value so far, this one included. Raises UnwritableError.
    """
    if depth > MAX_LEVELS:
        raise UnwritableError
    names = sorted(table)
    tables = [name for name in (table if ordered else names) if levels and _is_table(table[name])]
    inner = set(tables)
    entries = [_entry(name, table[name], depth) for name in names if name not in inner]
    if entries or not tables:
        into.append(f"[{path}]\n{''.join(entries)}")
    for name in tables:
        write_table(into, f"{path}.{key(name)}", table[name], levels=levels - 1, depth=depth + 1)


def _is_table(value: JsonValue) -> bool:
    return isinstance(value, dict) and not _looks_escaped(value)


def _entry(name: str, value: JsonValue, depth: int) -> str:
    if isinstance(value, str):
        return f"{key(name)} = {_text(value)}\n"
    if isinstance(value, list) and value:
        lines = "".join(f"  {element},\n" for element in _elements(value, depth + 1))
        return f"{key(name)} = [\n{lines}]\n"
    return f"{key(name)} = {_inline(value, depth)}\n"
