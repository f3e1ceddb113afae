"""Sources that are named by a word and a colon, such as `git:REV`: one file a word, and nothing else lists them.

A file has its `FORM`, as a person would write it, and `source(argument, options)`, which gives the source that the
whole argument names and raises FusionError (stage `usage`) where it names none.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fusion_contracts.sources.base import Options, Source

__all__ = ["forms", "named"]


@cache
def _words() -> tuple[str, ...]:
    return tuple(sorted(found.name for found in iter_modules(__path__)))


def _file(word: str) -> Any:
    return import_module(f"{__name__}.{word}")


def named(argument: str, options: Options) -> Source | None:
    """The source that an argument names by its word; None where it begins with no such word."""
    word, colon, _ = argument.partition(":")
    return _file(word).source(argument, options) if colon and word in _words() else None


def forms() -> list[str]:
    """How each is written."""
    return [_file(word).FORM for word in _words()]
