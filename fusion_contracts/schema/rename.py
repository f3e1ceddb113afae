"""Which name took the place of one that vanished: never when in doubt.

The same reading serves properties and tools. A pair has to fit (the same types; the same arguments), and prose or name
must have stayed: the old description, or its first clause, kept in the new one; descriptions that are nearly the same;
names that differ in case and separators alone. Close names count where shape and prose are close too. Where several
would do, one has to stand out; once it is taken, another may stand out whose name shares a word with the old one's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fusion_contracts.schema.values import key_of
from fusion_contracts.schema.vocabulary import ANNOTATIONS

__all__ = ["Named", "bare_name", "property_renames", "renames"]

_NEARLY, _CLOSE = 0.8, 0.6  # shares of common text
_TELLING = 12  # characters of prose that say something of their own: "ID" or "name" do not
_MOST = 20_000  # pairs that are looked at, each a comparison of two texts; where more came and went, none is a rename
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_CLAUSE = re.compile(r"[.,;:(\n]")


class Named(NamedTuple):
    """Something with a name, what its description says, and its shape."""

    words: str
    shape: Any


Test = Callable[[Any, Any], bool]


def property_renames(
    removed: Mapping[str, dict[str, Any]], added: Mapping[str, dict[str, Any]]
) -> list[tuple[str, str, bool]]:
    """Pairs (old name, new name, whether the old value may be sent under the new name), from views of properties.

    The value carries over where the schemas are equal but for annotations, the old description is kept in the new one,
    and no other property of either side fits as well.
    """
    if not removed or not added or len(removed) * len(added) > _MOST:
        return []
    sides = [{name: Named(_description(view), view) for name, view in side.items()} for side in (removed, added)]
    kept = {
        (old, new)
        for old, before in sides[0].items()
        for new, after in sides[1].items()
        if _keeps(before, after) and _same_schema(before.shape, after.shape)
    }
    pairs = renames(sides[0], sides[1], _same_types, _same_schema)
    return [(*pair, pair in kept and _alone(pair, kept)) for pair in pairs]


def renames(removed: Mapping[str, Named], added: Mapping[str, Named], fits: Test, same: Test) -> list[tuple[str, str]]:
    """Pairs (old name, new name). `fits` is asked of two shapes first; `same` tells equal ones."""
    if len(removed) * len(added) > _MOST:
        return []
    found = {
        (old, new): strength
        for old, before in removed.items()
        for new, after in added.items()
        if fits(before.shape, after.shape) and (strength := _strength(old, before, new, after, same))
    }
    pairs: list[tuple[str, str]] = []
    while chosen := [pair for pair in found if _stands_out(pair, found) and (not pairs or _shared(*pair))]:
        pairs += chosen
        taken = [{pair[side] for pair in pairs} for side in (0, 1)]
        found = {
            pair: strength for pair, strength in found.items() if pair[0] not in taken[0] and pair[1] not in taken[1]
        }
    return sorted(pairs)


def _strength(old: str, before: Named, new: str, after: Named, same: Test) -> int:
    """How sure a pair is: 0 is not enough."""
    if bare_name(old) == bare_name(new):
        return 5
    if len(before.words) >= _TELLING and before.words == after.words:
        return 4
    if _keeps(before, after):
        return 3
    if _prose(before, after) >= _NEARLY:
        return 2
    near = _ratio(bare_name(old), bare_name(new)) >= _CLOSE or 2 * _shared(old, new) >= len(_name_words(old))
    silent = not before.words and not after.words
    return int(near and same(before.shape, after.shape) and (silent or _prose(before, after) >= _CLOSE))


def _stands_out(pair: tuple[str, str], found: dict[tuple[str, str], int]) -> bool:
    rivals = [other for other in found if other != pair and (other[0] == pair[0] or other[1] == pair[1])]
    mine = (found[pair], _shared(*pair))
    return all(mine > (found[rival], _shared(*rival)) for rival in rivals)


def _alone(pair: tuple[str, str], pairs: set[tuple[str, str]]) -> bool:
    return not any(other != pair and (other[0] == pair[0] or other[1] == pair[1]) for other in pairs)


def _keeps(before: Named, after: Named) -> bool:
    """Whether the new description still says what the old one said."""
    words = before.words.rstrip(". ")
    return len(words) >= _TELLING and words in after.words


def _prose(before: Named, after: Named) -> float:
    """How much of the prose is common: of all, or of the first clauses."""
    if min(len(before.words), len(after.words)) < _TELLING:
        return 0.0
    clauses = [_CLAUSE.split(side.words, maxsplit=1)[0].strip() for side in (before, after)]
    first = _ratio(*clauses) if min(map(len, clauses)) >= _TELLING else 0.0
    return max(first, _ratio(before.words, after.words))


def _ratio(left: str, right: str) -> float:
    from difflib import SequenceMatcher  # needed where something vanished and something appeared

    return SequenceMatcher(None, left[:400], right[:400], autojunk=False).ratio()


def bare_name(name: str) -> str:
    """The letters and digits of a name, whatever their case."""
    return "".join(filter(str.isalnum, name)).casefold()


def _name_words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _shared(old: str, new: str) -> int:
    return len(_name_words(old) & _name_words(new))


def _description(view: dict[str, Any]) -> str:
    text = view.get("description")
    return text if isinstance(text, str) else ""


def _same_types(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return key_of(before.get("type")) == key_of(after.get("type"))


def _same_schema(before: dict[str, Any], after: dict[str, Any]) -> bool:
    bare = [key_of({k: v for k, v in side.items() if k not in ANNOTATIONS}) for side in (before, after)]
    return bare[0] == bare[1]
