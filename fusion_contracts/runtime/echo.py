"""How a sent value is shown in an error: short, on one line, never a nested value, never a secret."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from fusion_contracts.canonical import printable
from fusion_contracts.model import JsonValue

__all__ = ["HIDDEN_VALUE", "clip", "fitted", "holds_secret", "is_secret", "quoted", "redacted", "show"]

HIDDEN_VALUE = "a value that is not shown"

_LONGEST = 60  # characters of one shown text
_LONGEST_NAME = 80
_DIGITS = 20  # more of a number say nothing to a reader
_LARGEST = 10**_DIGITS
_READ = 1_000  # characters of a text that are searched for secrets before a shorter part of it is shown
_QUERY = re.compile(r"([?&#;][^=?&#;\s]{1,100})=[^&#;\s]+")
_CONTAINER = re.compile(r"""\s*(?:\{\s*["'}]|\[\s*["'\[{])""")

# Names that end so, in snake or camel case. `key` alone is none of them: `issue_key`.
_SECRET_ENDS = (
    "token", "secret", "secrets", "password", "passwords", "passwd", "credential", "credentials", "authorization",
    "apikey", "privatekey", "accesskey",
)  # fmt: skip


@lru_cache(maxsize=1024)
def is_secret(name: str) -> bool:
    """Whether an argument of this name holds something that must not be repeated."""
    return "".join(character for character in name.lower() if character.isalnum()).endswith(_SECRET_ENDS)


def redacted(text: str, values: Iterable[str] = ()) -> str:
    """A text without URL passwords, keys of well-known shapes, what follows a secret's name, and these values."""
    from fusion_contracts.sources.secrets import redact  # patterns that only a failing call needs

    return _QUERY.sub(_without_secret, redact(text[:_READ], values))


def _without_secret(pair: re.Match[str]) -> str:
    return f"{pair[1]}=(hidden)" if is_secret(pair[1][1:]) else pair[0]


def holds_secret(text: str) -> bool:
    """Whether something in a text, one of JSON too, must not be repeated."""
    return redacted(text) != text[:_READ]


def clip(text: str, longest: int = _LONGEST_NAME) -> str:
    """A name or phrase on one line: hidden characters escaped, cut when it is long."""
    shown = text[: longest + 1]
    if not (shown.isascii() and shown.isprintable()):
        shown = printable(shown)
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def fitted(text: str, longest: int, spell: Callable[[str], str]) -> str:
    """A text on one line as `spell` writes it, cut until that is not too long: an escape takes the room of several."""
    shown = clip(text, longest)
    while len(spell(shown)) > longest:
        shown = f"{shown[: len(shown) * 3 // 4 - 3]}..."
    return spell(shown)


def quoted(text: str) -> str:
    """A text in single quotes; of a long one its beginning and its length."""
    shown = clip(text, _LONGEST)
    return f"'{shown}'" if len(text) <= _LONGEST else f"'{shown}' ({len(text):,} characters)"


def show(value: JsonValue) -> str:
    """One value: scalars as they are, of objects and lists the size alone, also where they come as text."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if -_LARGEST < value < _LARGEST else f"a number of more than {_DIGITS} digits"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "a number that is not finite"
    if isinstance(value, dict):
        return _sized("an object", "with", "key", len(value)) if value else "an empty object"
    if isinstance(value, (list, tuple, set, frozenset)):
        return _sized("a list", "of", "item", len(value)) if value else "an empty list"
    return f"a value of type {clip(type(value).__name__, 40)}"


def _text(text: str) -> str:
    if _CONTAINER.match(text):
        return f"text that begins like JSON ({len(text):,} characters)"
    shown = redacted(text)
    if shown == text[:_READ]:
        return quoted(text)
    return f"'{clip(shown, _LONGEST)}'"


def _sized(what: str, link: str, unit: str, count: int) -> str:
    return f"{what} {link} {count:,} {unit}{'' if count == 1 else 's'}"
