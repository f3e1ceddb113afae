"""Two versions of a text as one, in which what went and what came is marked, word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from fusion_contracts.canonical import shared_start
from fusion_contracts.report.page.markup import Markup, escape, join, lines, tag
from fusion_contracts.report.page.room import Room

__all__ = ["marked", "reworded"]

_WORD = re.compile(r"\s+|\w+\ufe0f?|[^\w\s]\ufe0f?")  # a symbol and what asks for its coloured form are one
_APART = 3  # words between two changes that are too few to make two of them
_FREQUENT = 8  # times that a word stands in a text, from which on it is no place to begin a comparison
_AROUND = 160  # characters of what stayed that are kept on each side of a change


def reworded(old: str, new: str, room: Room) -> Markup:
    """The new text with the old words marked as gone and its own as added; long passages that stayed are left out."""
    parts = list(_changes(old, new, room))
    last = len(parts) - 1
    return join(_part(gone, came, first=not at, last=at == last) for at, (gone, came) in enumerate(parts))


def marked(old: str, new: str, room: Room) -> tuple[Markup, Markup]:
    """Two lines, each with the words marked that the other does not hold; without marks where they share little."""
    parts = list(_changes(old, new, room))
    shared = sum(len(gone) for gone, came in parts if gone == came)
    if shared * 2 < min(len(old), len(new)):
        return escape(old), escape(new)
    left = join(escape(gone) if gone == came or not gone else tag("mark", gone) for gone, came in parts)
    return left, join(escape(came) if gone == came or not came else tag("mark", came) for gone, came in parts)


def _part(gone: str, came: str, *, first: bool, last: bool) -> Markup:
    if gone == came:
        return _kept(gone, head=not first, tail=not last)
    return join([tag("del", lines(gone)) if gone else "", tag("ins", lines(came)) if came else ""])


def _kept(text: str, *, head: bool, tail: bool) -> Markup:
    """What stayed between two changes, without its middle."""
    start, end = text[: _AROUND * head], text[len(text) - _AROUND * tail :]
    left_out = len(text) - len(start) - len(end)
    if left_out <= _AROUND:
        return lines(text)
    told = tag("span", f" [{left_out:,} characters the same] ", class_="elided")
    return join([lines(start), told, lines(end)])


def _changes(before: str, after: str, room: Room) -> Iterator[tuple[str, str]]:
    """What stood and what stands, passage by passage; equal where it stayed."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    start = shared_start(old, new)
    end = shared_start(old[start:][::-1], new[start:][::-1])
    kept = "".join(old[:start])
    yield from [(kept, kept)] if kept else []
    yield from _passages(old[start : len(old) - end], new[start : len(new) - end], room)
    kept = "".join(old[len(old) - end :])
    yield from [(kept, kept)] if kept else []


def _passages(old: Sequence[str], new: Sequence[str], room: Room) -> Iterator[tuple[str, str]]:
    if not old and not new:
        return
    there = Counter(new)
    frequent = {word for word, number in there.items() if number > _FREQUENT or word.isspace()}
    # What the matcher looks at: each word, and for each that is no frequent one its places on the other side.
    steps = len(old) + len(new) + sum(there[word] for word in old if word not in frequent)
    if not room.compares(steps):  # one replaces the other
        yield "".join(old), "".join(new)
        return
    matcher = SequenceMatcher(frequent.__contains__, old, new, autojunk=False)
    gone, came = "", ""
    for kind, start, end, begin, stop in matcher.get_opcodes():
        if kind == "equal" and end - start > _APART:
            yield from [(gone, came)] if gone or came else []
            kept = "".join(old[start:end])
            yield kept, kept
            gone, came = "", ""
        else:  # a word or two that stayed between two changes would make them hard to read
            gone, came = gone + "".join(old[start:end]), came + "".join(new[begin:stop])
    yield from [(gone, came)] if gone or came else []
