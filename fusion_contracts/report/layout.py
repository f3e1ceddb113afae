"""Lines for a terminal: how wide a text is, how it is cut and wrapped, and a little colour.

rich would do all this and costs 50 ms of start-up, a third of what a whole `fusion diff` may take; a report needs three
columns and four colours, so they are here.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category, east_asian_width

__all__ = [
    "MINIMUM", "STYLES", "clipped", "columns", "cut", "hung", "paint", "where_they_differ", "width_of", "wrap",
]  # fmt: skip

MINIMUM = 60
MAXIMUM = 120  # a fingerprint at the far end of a very wide line is not seen

STYLES = {"BREAKING": "red", "RISKY": "yellow", "SAFE": "green"}
"""How the name of a level is painted."""

_ELLIPSIS = "…"
_NO_BREAK = "\u00a0"
_CODES = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "33", "green": "32"}


def columns(available: int) -> int:
    """The width to lay out for on a terminal `available` columns wide."""
    return max(MINIMUM, min(available, MAXIMUM))


def width_of(text: str) -> int:
    """How many terminal cells `text` takes: wide East Asian characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def clipped(text: str, longest: int) -> str:
    """`text` without what it has beyond so many characters, for which an ellipsis stands."""
    return text if len(text) <= longest else text[:longest] + _ELLIPSIS


def cut(text: str, width: int) -> str:
    """`text` on at most `width` cells, with an ellipsis where it was longer."""
    if width_of(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += _cells(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + _ELLIPSIS


def where_they_differ(one: str, other: str, width: int) -> tuple[str, str]:
    """Two texts as they are; without most of their common beginning where a cut at `width` would show nothing else."""
    pairs = enumerate(zip(one, other, strict=False))
    common = next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))
    if common < width * 2 // 3:
        return one, other
    start = common - width // 3
    return _ELLIPSIS + one[start:], _ELLIPSIS + other[start:]


def wrap(text: str, width: int, *, whole: bool = False) -> list[str]:
    """`text` on lines of at most `width` cells, broken at spaces; a longer word stands alone and is cut in pieces.

    A no-break space keeps its words together and is printed as a space. `whole`: no word is cut.
    """
    lines: list[str] = []
    line = ""
    for word in filter(None, text.split(" ")) if whole else _pieces(text, width):
        if not line:
            line = word
        elif width_of(line) + 1 + width_of(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line or not lines:
        lines.append(line)
    return [finished.replace(_NO_BREAK, " ") for finished in lines]


def hung(line: str, width: int) -> list[str]:
    """A line as it is; one that is too long as `wrap` breaks it, the rest two cells further in than where it begins."""
    if width_of(line) <= width or "\x1b" in line:  # a painted line was laid out already
        return [line]
    text = line.lstrip(" ")
    indent = len(line) - len(text)
    kept = text.replace("  ", _NO_BREAK * 2)  # what stands in columns stays there
    first, *rest = wrap(kept, width - indent - 2, whole=True)
    return [" " * indent + first, *(" " * (indent + 2) + more for more in rest)]


def _pieces(text: str, width: int) -> Iterator[str]:
    for word in text.split(" "):
        if width_of(word) <= width:
            yield from [word] if word else []
            continue
        start = used = 0
        for index, character in enumerate(word):  # once over it, however long it is
            cells = _cells(character)
            if used + cells > width and index > start:
                yield word[start:index]
                start, used = index, 0
            used += cells
        yield word[start:]


def paint(text: str, style: str, *, colour: bool) -> str:
    """`text` in a style (bold, dim, red, yellow, green) where colour is wanted; the words alone say the same."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if colour and text else text
