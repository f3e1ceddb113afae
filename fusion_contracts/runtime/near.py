"""Which name was meant: one that differs in case and separators alone, then one that is nearly the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from fusion_contracts.model import JsonValue

__all__ = ["nearest", "plain", "same_but_case", "twin"]

_CLOSE = 0.7  # share of common text from which a name counts as a slip of another
_LONGEST = 64  # longer names are compared by their beginning
_LONGEST_PLAIN = 1_000  # a longer name is only itself
_MOST = 200  # names that are compared


@lru_cache(maxsize=2048)
def plain(name: str) -> str:
    """A name without case and separators: `styleId`, `style_id` and `style-id` are one. A very long one as it is."""
    if len(name) > _LONGEST_PLAIN:
        return name
    return "".join(character for character in name if character.isalnum()).lower()


def twin(name: str, names: Iterable[str]) -> str | None:
    """The one name that differs from this one in case and separators alone."""
    wanted = plain(name)
    found = [other for other in names if plain(other) == wanted] if wanted else []
    return found[0] if len(found) == 1 else None


def nearest(name: str, names: Iterable[str], *, close: float = _CLOSE) -> str | None:
    """The twin, or else the most similar name where one is similar at all."""
    names = list(names)[:_MOST]
    found = twin(name, names)
    if found is not None or not names:
        return found
    from difflib import SequenceMatcher  # only on a failing call with an unknown name

    matcher = SequenceMatcher(None, "", plain(name)[:_LONGEST], autojunk=False)
    best, score = None, close
    for other in names:
        matcher.set_seq1(plain(other)[:_LONGEST])
        if matcher.real_quick_ratio() >= score and matcher.quick_ratio() >= score and matcher.ratio() >= score:
            best, score = other, matcher.ratio()
    return best


def same_but_case(value: JsonValue, options: Sequence[JsonValue]) -> str | None:
    """The one allowed text that a sent text is, but for case, separators and white space around it."""
    if not isinstance(value, str):
        return None
    return twin(value[:_LONGEST], [option for option in options[:_MOST] if isinstance(option, str)])
