"""Two JSON documents side by side, line by line: what is the same, what stood there, what stands there now.

Both trees are walked together, key by key. That finds what a comparison of their lines would find, never takes a brace
for another one, and costs no more than it takes to write both down, however large they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import groupby, zip_longest

from fusion_contracts.canonical import canonical_json, equal
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.record import record
from fusion_contracts.report.page.markup import json_text

__all__ = ["ABSENT", "Hunk", "hunks"]

_INLINE = 72  # characters of a list of plain values that stays on one line
_MATCHED = 10_000  # pairs of elements up to which lists are matched by content: the matcher may take them all
ABSENT = object()
"""The side of a document that is not there."""


@record
class Hunk:
    """Neighbouring lines: the same on both sides up to a comma, or those that stood and those that stand there now."""

    same: bool
    old: tuple[str, ...]
    new: tuple[str, ...]


@record
class _Line:
    """A line of one side, or of both."""

    old: str | None
    new: str | None

    @property
    def same(self) -> bool:
        return self.old is not None and self.new is not None


def hunks(old: JsonValue, new: JsonValue) -> Iterator[Hunk]:
    """The lines of two documents, gathered; one of the two may be ABSENT.

    Keys stand as they do in the documents, and sorted where those disagree: a lock sorts them, a server does not.
    """
    if not _agree(old, new):
        old, new = _in_order(old, new), _in_order(new, old)
    for same, found in groupby(_either(old, new, _Place()), lambda line: line.same):
        run = list(found)
        left = tuple(line.old for line in run if line.old is not None)
        yield Hunk(same, left, tuple(line.new for line in run if line.new is not None))


def _agree(old: JsonValue, new: JsonValue) -> bool:
    """Whether the keys of both stand in one order, as far as the same keys lead to both."""
    if isinstance(old, dict) and isinstance(new, dict):
        shared = [key for key in old if key in new]
        return shared == [key for key in new if key in old] and all(_agree(old[key], new[key]) for key in shared)
    if isinstance(old, list) and isinstance(new, list):
        return all(map(_agree, old, new))
    return True


def _in_order(value: JsonValue, other: JsonValue) -> JsonValue:
    """The value with its keys sorted, but for objects whose keys stand on the other side in the same order."""
    if isinstance(value, dict):
        twin = other if isinstance(other, dict) else {}
        shared = [key for key in value if key in twin]
        kept = shared and shared == [key for key in twin if key in value]
        return {key: _in_order(value[key], twin.get(key)) for key in (value if kept else sorted(value))}
    if isinstance(value, list):
        twins = other if isinstance(other, list) else []
        return [_in_order(one, twin) for one, twin in zip_longest(value, twins[: len(value)])]
    return value


@record
class _Place:
    """Where a value stands: how deep, behind which key, and what follows it on each side."""

    depth: int = 0
    head: str = ""
    commas: tuple[str, str] = ("", "")

    @property
    def start(self) -> str:
        return "  " * self.depth + self.head

    def line(self, text: str, *, old: bool = True, new: bool = True, end: bool = True) -> _Line:
        left, right = self.commas if end else ("", "")
        return _Line(f"{text}{left}" if old else None, f"{text}{right}" if new else None)

    def below(self, head: str, *commas: bool) -> _Place:
        old, new = ("," if comma else "" for comma in commas)
        return _Place(self.depth + 1, head, (old, new))


def _both(old: JsonValue, new: JsonValue, place: _Place) -> Iterator[_Line]:
    if equal(old, new):
        yield from _one(old, place)
    elif _is_tree(old, dict) and _is_tree(new, dict):
        yield from _around("{}", place, _members(old, new, place))
    elif _is_tree(old, list) and _is_tree(new, list):
        yield from _around("[]", place, _elements(old, new, place))
    else:
        yield from _one(old, place, new=False)
        yield from _one(new, place, old=False)


def _one(value: JsonValue, place: _Place, *, old: bool = True, new: bool = True) -> Iterator[_Line]:
    """A value that stands on one side, or is the same on both."""
    if not _is_tree(value, dict) and not _is_tree(value, list):
        yield place.line(place.start + json_text(value), old=old, new=new)
        return
    named = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    yield place.line(place.start + ("{" if isinstance(value, dict) else "["), old=old, new=new, end=False)
    for number, (key, item) in enumerate(named, start=1):
        more = number < len(value)
        yield from _one(item, place.below(_head(key), more, more), old=old, new=new)
    yield place.line("  " * place.depth + ("}" if isinstance(value, dict) else "]"), old=old, new=new)


def _is_tree(value: JsonValue, kind: type[dict[str, JsonValue] | list[JsonValue]]) -> bool:
    """Whether a value is written over several lines."""
    if not isinstance(value, kind) or not value:
        return False
    plain = isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value)
    return not plain or len(json_text(value)) > _INLINE


def _around(braces: str, place: _Place, inside: Iterable[_Line]) -> Iterator[_Line]:
    yield place.line(place.start + braces[0], end=False)
    yield from inside
    yield place.line("  " * place.depth + braces[1])


def _head(key: str | None) -> str:
    return "" if key is None else f"{json_text(key)}: "


def _members(old: JsonObject, new: JsonObject, place: _Place) -> Iterator[_Line]:
    keys = _merged(old, new)
    last_old = next(key for key in reversed(keys) if key in old)
    last_new = next(key for key in reversed(keys) if key in new)
    for key in keys:
        here = place.below(_head(key), key != last_old, key != last_new)
        yield from _either(old.get(key, ABSENT), new.get(key, ABSENT), here)


def _merged(old: JsonObject, new: JsonObject) -> list[str]:
    """The keys of both in the old one's order; a new one stands behind the key that it follows in the new one."""
    followers: dict[str | None, list[str]] = {}
    before: str | None = None
    for key in new:
        if key in old:
            before = key
        else:
            followers.setdefault(before, []).append(key)
    keys = list(followers.get(None, ()))
    for key in old:
        keys += [key, *followers.get(key, ())]
    return keys


def _elements(old: list[JsonValue], new: list[JsonValue], place: _Place) -> Iterator[_Line]:
    for left, right in _matched(old, new):
        here = place.below("", left != len(old) - 1, right != len(new) - 1)
        before = ABSENT if left is None else old[left]
        yield from _either(before, ABSENT if right is None else new[right], here)


def _matched(old: list[JsonValue], new: list[JsonValue]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of positions: equal elements, and of the rest those at the same place."""
    if len(old) * len(new) > _MATCHED:
        yield from zip_longest(range(len(old)), range(len(new)))
        return
    left, right = ([canonical_json(item) for item in side] for side in (old, new))
    for _, start, end, begin, stop in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        yield from zip_longest(range(start, end), range(begin, stop))


def _either(old: JsonValue, new: JsonValue, place: _Place) -> Iterator[_Line]:
    if old is ABSENT:
        return _one(new, place, old=False)
    return _one(old, place, new=False) if new is ABSENT else _both(old, new, place)
