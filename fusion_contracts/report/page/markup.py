"""HTML and JSON as text on the page: whatever is not `Markup` is escaped, so that no name can become markup."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable

from fusion_contracts.canonical import HIDDEN, printable
from fusion_contracts.model import JsonValue

__all__ = ["Markup", "arrows", "escape", "join", "json_text", "lines", "tag"]

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_VOID = frozenset({"br", "input", "link", "meta"})


class Markup(str):
    """Finished HTML, in which nothing is left to escape."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """Text for an element: the one escape function of this output language; `tag` alone writes attributes, with it.

    Hidden characters are made visible, as everywhere; `Markup` passes as it is. Quotes are nothing special in text, and
    schemas are full of them.
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(text if _is_plain(text) else printable(text), quote=False))


def _is_plain(text: str) -> bool:
    """Whether no character of a text can be hidden: most text, told at a fraction of what the table takes."""
    return text.isascii() and text.isprintable()


def tag(name: str, /, *children: str, **attributes: str | bool | None) -> Markup:
    """An element. `class_` is the attribute `class`, `data_tool` is `data-tool`; None and False leave one out."""
    head = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        word = key.rstrip("_").replace("_", "-")
        head += f" {word}" if value is True else f' {word}="{_quoted(value)}"'
    if name in _VOID:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{''.join(map(escape, children))}</{name}>")


def _quoted(value: str) -> str:
    """An attribute's value, to stand between double quotes."""
    return escape(value).replace('"', "&quot;")


def join(parts: Iterable[str], between: str = "") -> Markup:
    """Parts in a row, each escaped where it is not markup."""
    return Markup(escape(between).join(map(escape, parts)))


def lines(text: str) -> Markup:
    """Text of several lines, for where white space is kept: line feeds stay, all else is as in `escape`."""
    return Markup("\n".join(escape(line) for line in re.split(r"\r?\n", text)))


def json_text(value: JsonValue) -> str:
    r"""A JSON value on one line: what a reader cannot see is `\u200b`, which still is JSON, and the same value."""
    text = _ENCODER.encode(value)
    return text if _is_plain(text) else HIDDEN.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    return json.dumps(found.group())[1:-1]


def arrows(text: str) -> str:
    """What was and what is, as a page writes it."""
    return text.replace(" -> ", " \u2192 ")
