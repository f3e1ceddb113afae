"""Text that people cannot see: which runs of it a new text holds that the old one did not.

`canonical.HIDDEN` is the table of such characters. Here the few uses that readers expect are let through: line breaks
and tabs, joiners inside emoji and inside scripts that need them, and the sign that asks for a symbol's plain form.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from fusion_contracts.canonical import HIDDEN, pointer_token
from fusion_contracts.diff.changes import InvisibleTextAdded
from fusion_contracts.model import JsonValue

__all__ = ["hidden_added", "hidden_runs"]

_SYMBOL = "\u2190-\u2bff\U0001f000-\U0001faff"
_JOINING = "\u0600-\u08ff\u0900-\u0dff"  # Arabic and its relatives, the Indic scripts
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ESCAPES = ("\\u", "\\b", "\\f")  # how JSON writes them
_GAP = "\n"  # stands where an expected character stood, so that runs on both sides of it do not become one


@cache
def _expected() -> re.Pattern[str]:
    """Compiled when a text first needs it: nearly all are plain."""
    return re.compile(
        "[\n\r\t]"
        f"|(?<=[{_SYMBOL}\ufe0f])\u200d(?=[{_SYMBOL}])"
        f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
        f"|(?<=[{_SYMBOL}])\ufe0e"
    )


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"(?:(?!\n)(?:{HIDDEN.pattern}))+")


def hidden_runs(text: str) -> list[str]:
    """The runs of hidden characters in `text`, in order."""
    if text.isascii() and (text.isprintable() or not _CONTROL.search(text)):
        return []
    return _run().findall(_expected().sub(_GAP, text))


def hidden_added(old: JsonValue, new: JsonValue) -> Iterator[InvisibleTextAdded]:
    """A fact for each text of `new`, keys included, with hidden runs that stand nowhere in `old`.

    Pointers are relative to `new`.
    """
    rest = _rest(new, old)
    if _plain(json.dumps(rest)):
        return
    hidden = [(pointer, text, runs) for pointer, text in _texts(rest, "") if (runs := hidden_runs(text))]
    if not hidden:
        return
    known = Counter(run for _, text in _texts(_rest(old, new), "") for run in hidden_runs(text))
    for pointer, text, runs in hidden:
        fresh = []
        for run in runs:
            if known[run]:
                known[run] -= 1
            else:
                fresh.append(run)
        if fresh:
            yield InvisibleTextAdded(pointer=pointer, after=text, hidden=tuple(fresh))


def _rest(item: JsonValue, other: JsonValue) -> JsonValue:
    """The members of an object that the other one does not have alike, as deep as both are objects."""
    if not isinstance(item, dict) or not isinstance(other, dict):
        return item
    return {
        name: _rest(part, other.get(name)) for name, part in item.items() if name not in other or other[name] != part
    }


def _plain(document: str) -> bool:
    """Whether a JSON document certainly hides nothing: what is not ASCII and control characters are written escaped."""
    return "\x7f" not in document and not any(escape in document for escape in _ESCAPES)


def _texts(item: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
    """Every text in a JSON value with its pointer; a key has the pointer of what it names."""
    if isinstance(item, str):
        yield pointer, item
    elif isinstance(item, dict):
        for key, inner in item.items():
            below = f"{pointer}/{pointer_token(key)}"
            yield below, key
            yield from _texts(inner, below)
    elif isinstance(item, (list, tuple)):
        for index, inner in enumerate(item):
            yield from _texts(inner, f"{pointer}/{index}")
