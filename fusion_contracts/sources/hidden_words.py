"""The words of a command line as they are shown to people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fusion_contracts.sources.secrets import (
    ASSIGNED,
    HIDDEN_TEXT,
    SCHEME,
    has_literal,
    is_random,
    redact,
    secret_after,
    secret_in,
    shown_url,
)

__all__ = ["hidden_words"]

_VALUED = frozenset({"--header", "-H", "--webhook-header", "--input", "--env", "-e"})
"""Options of ours, and of what people start, whose values are `NAME: value` or `NAME=value`."""
_PRIVATE = frozenset({"--webhook"})
"""Options of ours whose URLs say in their path what nobody else may know."""


def hidden_words(words: Sequence[str]) -> list[str]:
    """The words of a command line for people, with what is, or may be, a literal secret hidden.

    The value behind the name of a header, an input or a variable is hidden whatever it is, unless it is a `${VAR}`.
    """
    found, flag = [], ""
    for word in words:
        found.append(_hidden_word(word, flag))
        flag = word if word.startswith("-") and "=" not in word else ""
    return found


def _hidden_word(word: str, flag: str) -> str:
    option, sign, value = word.partition("=")
    if sign and option in _VALUED | _PRIVATE:
        return f"{option}={_hidden_word(value, option)}"
    if flag in _PRIVATE:
        return _without_path(word)
    assigned = ASSIGNED.fullmatch(word)
    if assigned and (flag in _VALUED or ("://" not in word and secret_in(word, ""))):
        value = assigned["value"] if not has_literal(assigned["value"]) else HIDDEN_TEXT
        return f"{assigned['name']}{assigned['sign']}{value}"
    if "://" in word:
        return redact(word)
    if flag in _VALUED or secret_after(flag, word) or is_random(word):
        return word if not has_literal(word) else HIDDEN_TEXT
    return redact(word)


def _without_path(url: str) -> str:
    """A URL whose path is a secret by itself: scheme and host, unless all of it is a `${VAR}`."""
    found = re.match(rf"{SCHEME}[^/\s?#]+", shown_url(url))
    if found is None or not has_literal(url):
        return HIDDEN_TEXT if has_literal(url) else url
    return url if url.rstrip("/") == found.group() else f"{found.group()}/{HIDDEN_TEXT}"
