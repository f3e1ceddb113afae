"""Any text inside a line or a cell of Markdown, where it is neither markup nor a link, a mention or a reference."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import groupby

from fusion_contracts.canonical import printable

__all__ = ["markdown", "markdown_code", "markdown_of_ours"]

# A word of letters, a plain number or version, or letters joined by hyphens, with quotes or brackets around it and a
# stop behind. Any other (a path, an address, a mention, `GH-1`, a commit's hash, markup of any kind) is code, in which
# GitHub links, renders and notifies nothing.
_LETTERS = r"[^\W\d_]+"
_NUMBER = r"v?\d{1,6}(?:[.,]\d{1,6})*"
_PLAIN = rf"(?![0-9a-f]{{7,}}\b)(?:{_LETTERS}(?:[-']{_LETTERS})*|{_NUMBER})"
_WORD = re.compile(rf"""["'(]*{_PLAIN}["')]*[,;:.?!]?["')]*""")
_AROUND = "\"'(),;:.?!"
_ARROW = re.compile(r"(?<!\S)->(?!\S)")
_NOT_IN_CODE = re.compile(r"[`|]|##\[|\A\s|\s\Z")
_IN_TICKS = re.compile(r"""(?<![^ ])(["'(]*)`([^`]+)`(["')]*[,;:.?!]?["')]*)(?![^ ])""")
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")  # of ASCII: Markdown has no others


def markdown(text: str, names: Collection[str] = ()) -> str:
    """A sentence inside a line or a cell: plain words stand as they are, all else and what is in `names` is code."""
    runs = groupby(printable(text).split(" "), key=lambda word: _needs_code(word, names))
    return " ".join(_code_run(list(run)) if code else _ARROW.sub("→", " ".join(run)) for code, run in runs)


def markdown_of_ours(text: str) -> str:
    """A sentence that was written here, as problems and hints are: what stands in backticks is code without them."""
    return "".join(_of_ours(text))


def _of_ours(text: str) -> Iterator[str]:
    end = 0
    for found in _IN_TICKS.finditer(text):
        yield markdown(text[end : found.start()])
        yield f"{found[1]}{markdown_code(found[2])}{found[3]}"
        end = found.end()
    yield markdown(text[end:])


def _needs_code(word: str, names: Collection[str]) -> bool:
    if _WORD.fullmatch(word) is None:
        return word not in {"", "->"}
    return bool(names) and word.strip(_AROUND) in names


def _code_run(words: list[str]) -> str:
    """Words that need to be code, together; what stands around a single one, and a stop behind, is left outside."""
    text = " ".join(words)
    inner = text.lstrip("\"'(").rstrip(_AROUND) if len(words) == 1 else text.rstrip(",;:.")
    before, inner, after = text.partition(inner or text)
    return f"{before}{markdown_code(inner)}{after}"


def markdown_code(text: str) -> str:
    """A name, a value or a call, as code inside a line or a cell.

    In backticks where nothing in it could end them or the cell, else in a `code` element with all of its signs as
    references, which Markdown never takes for its own. Only addresses are looked for when references are read: a
    comment parts those.
    """
    shown = printable(text)
    if shown and _NOT_IN_CODE.search(shown) is None:
        return f"`{shown}`"
    written = _SIGN.sub(lambda found: f"&#{ord(found[0])};", shown)
    return f"<code>{written.replace('&#64;', '&#64;<!-- -->')}</code>"
