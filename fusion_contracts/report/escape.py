"""Text that a server chose, in Markdown: nothing of it is markup, a link or a mention."""

from __future__ import annotations

import re

from fusion_contracts.canonical import printable

__all__ = ["code", "prose"]

_MARKUP = re.compile(r"([\\`*\[\]<#|~&$]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z]))")
_TICKS = re.compile("`+")


def prose(text: str) -> str:
    """The text in a line of prose. `@` and `:` are written so that no one is notified and nothing becomes a link."""
    plain = _MARKUP.sub(r"\\\1", " ".join(printable(text).split()))
    return plain.replace("@", "@\u2060").replace("://", "&#58;//").replace("www.", "www&#46;")


def code(text: str) -> str:
    """The text as code: between more backticks than it holds, with a space where it would touch them."""
    plain = " ".join(printable(text).split()) or " "
    fence = "`" * (max(map(len, _TICKS.findall(plain)), default=0) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}"
