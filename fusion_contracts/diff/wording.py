"""How messages name fields and show values: short, escaped, never more than a few."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from fusion_contracts.canonical import pointer_key, printable, shared_start
from fusion_contracts.model import JsonValue

__all__ = ["about", "dotted", "listing", "names", "reworded", "shift", "short", "value"]

_LONGEST = 60  # characters of one value
_EACH = 30  # characters of each, where a sentence shows two
_LEAD = 8  # characters before the place where two long texts part
_MOST = 5  # values of one list
_MOST_NAMES = 3


def short(text: str, longest: int = _LONGEST) -> str:
    """`text` escaped for a terminal line, cut when it is long."""
    return _cut(printable(text), longest)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def value(item: JsonValue, quote: str = "'") -> str:
    """A JSON value for a sentence: text in quotes, the rest as compact JSON."""
    return f"{quote}{short(item)}{quote}" if isinstance(item, str) else short(_plain(item))


def _plain(item: JsonValue) -> str:
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, separators=(", ", ": "))


def listing(items: Sequence[JsonValue]) -> str:
    """Values in a row: `'a', 'b' and 3 more`."""
    return _row([value(item) for item in items[:_MOST]], len(items))


def names(items: Iterable[str]) -> str:
    """Names in a row, without quotes."""
    every = list(items)
    return _row([short(item) for item in every[:_MOST_NAMES]], len(every))


def _row(shown: list[str], count: int) -> str:
    rest = count - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def shift(before: JsonValue, after: JsonValue, *, had: bool | None = None, has: bool | None = None) -> str:
    """What a value was and is, for the end of a sentence: `changed ("a" -> "b")`, `added ("b")`, `removed (was "a")`.

    `had` and `has` tell a missing value from null; without them null counts as missing.
    """
    had, has = before is not None if had is None else had, after is not None if has is None else has
    if had and has:
        return f"changed ({' -> '.join(_both(before, after))})"
    return f"added ({value(after, _DOUBLE)})" if has else f"removed (was {value(before, _DOUBLE)})"


_DOUBLE = '"'


def _both(before: JsonValue, after: JsonValue) -> list[str]:
    """Two values; of long ones that begin alike, what stands around the place where they part."""
    texts = [printable(_plain(side)) for side in (before, after)]
    start = shared_start(*texts) - _LEAD
    if start > _LEAD and max(map(len, texts)) > _EACH:
        texts = [f"...{text[start:]}" for text in texts]
    quotes = [_DOUBLE if isinstance(side, str) else "" for side in (before, after)]
    return [f"{quote}{_cut(text, _EACH)}{quote}" for quote, text in zip(quotes, texts, strict=True)]


def dotted(pointer: str) -> str:
    """A JSON pointer as people write paths: `/annotations/category` is `annotations.category`."""
    tokens = map(pointer_key, pointer.split("/")[1:])
    return ".".join(short(token) for token in tokens)


def about(name: str, message: str) -> str:
    """A message with whom it is about in front, where the tool does not say it already."""
    return f"{short(name)}: {message}" if name else message


def reworded(before: JsonValue, after: JsonValue) -> str | None:
    """How prose changed: `reworded`, `added`, `removed`; None when white space alone differs. It may be no text."""
    old, new = ([] if text is None else _plain(text).split() for text in (before, after))
    if old == new:
        return None
    if not old:
        return "added"
    return "reworded" if new else "removed"
