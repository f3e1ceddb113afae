"""Which name took the place of one that vanished: never when in doubt.

The same reading serves properties and tools. A pair has to fit (the same types; the same arguments), and prose or name
must have stayed: the old description, or its first clause, kept in the new one; descriptions that are nearly the same;
names that differ in case and separators alone. Close names count where shape and prose are close too. Where several
would do, one has to stand out, also among what is there on both sides: phrases that all share tell nothing. Once it is
taken, another may stand out whose name shares a word with the old one's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from functools import cache, lru_cache
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

from fusion_contracts.schema.values import key_of
from fusion_contracts.schema.vocabulary import ANNOTATIONS

if TYPE_CHECKING:
    from fusion_contracts.schema.alike import Texts

__all__ = ["Named", "bare_name", "property_renames", "renames"]

_CERTAIN = 3  # so sure is a pair that is told by what was kept
_NEARLY, _CLOSE = 0.8, 0.6  # shares of common text
_TELLING = 12  # characters of prose that say something of their own: "ID" or "name" do not
_MOST = 20_000  # pairs that are looked at; where more came and went, none is a rename
_LONGEST_KEPT = 10_000  # characters of a text in which another one is looked for
_LONGEST_CLAUSE = 800
_CLAUSE = re.compile(r"[.,;:(\n]")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


class Named(NamedTuple):
    """Something with a name, what its description says, and its shape."""

    words: str
    shape: Any


Test = Callable[[Any, Any], bool]
Names = tuple[str, str]  # the old one, the new one
Score = tuple[int, int]  # how sure a pair is, and how many words both names have


def property_renames(
    removed: Mapping[str, dict[str, Any]],
    added: Mapping[str, dict[str, Any]],
    stayed: Callable[[], Mapping[str, dict[str, Any]]],
) -> list[tuple[str, str, bool]]:
    """Pairs (old name, new name, whether the old value may be sent under the new name), from views of properties.

    The value carries over where the schemas are equal but for annotations, the old description is kept in the new one,
    and no other property of either side fits as well.
    """
    if not removed or not added or len(removed) * len(added) > _MOST:
        return []
    sides = [_named(side) for side in (removed, added)]
    kept = {
        (old, new)
        for old, before in sides[0].items()
        for new, after in sides[1].items()
        if _keeps(before, after) and _same_schema(before.shape, after.shape)
    }
    pairs = renames(sides[0], sides[1], _same_types, _same_schema, stayed=lambda: _named(stayed()))
    return [(*pair, pair in kept and _alone(pair, kept)) for pair in pairs]


def renames(
    removed: Mapping[str, Named],
    added: Mapping[str, Named],
    fits: Test,
    same: Test,
    *,
    stayed: Callable[[], Mapping[str, Named]] = dict,
) -> list[Names]:
    """Pairs (old name, new name). `fits` is asked of two shapes first; `same` tells equal ones.

    What `stayed` is on both sides; it is rarely asked for.
    """
    if len(removed) * len(added) > _MOST:
        return []
    from fusion_contracts.schema.alike import Texts  # needed where something vanished and something appeared

    left = {(old, new): (mine, its) for old, mine in removed.items() for new, its in added.items()}
    left = {names: sides for names, sides in left.items() if fits(sides[0].shape, sides[1].shape)}
    texts = Texts()

    def likely(names: Names, sides: tuple[Named, Named]) -> Score:
        return _likely(names, sides, same, texts), _shared(*names)

    def stays(old: str, score: Score) -> bool:
        """Whether something that stayed would do as well."""
        return any(
            fits(removed[old].shape, its.shape) and likely((old, name), (removed[old], its)) >= score
            for name, its in texts.looked_at(kept().items())
        )

    kept = cache(stayed)
    certain = {names: (_certain(names, sides), _shared(*names)) for names, sides in left.items()}
    found = {names: score for names, score in certain.items() if score[0]}
    sure = [{names[side] for names in found} for side in (0, 1)]
    # Where there is something surer for both names, what is less sure does not matter yet: most texts stay unread.
    unread = [names for names in left if names[0] not in sure[0] or names[1] not in sure[1]]
    read: set[Names] = set()
    pairs: list[Names] = []
    while True:
        scores = {names: likely(names, left[names]) for names in unread}
        read.update(unread)
        found |= {names: score for names, score in scores.items() if score[0] and not stays(names[0], score)}
        if texts.too_many:
            found = {names: score for names, score in found.items() if score[0] >= _CERTAIN}
        chosen = [names for names in _outstanding(found) if not pairs or found[names][1]]
        if not chosen:
            return sorted(pairs)
        pairs += chosen
        taken = [{names[side] for names in pairs} for side in (0, 1)]
        left = {names: sides for names, sides in left.items() if names[0] not in taken[0] and names[1] not in taken[1]}
        found = {names: found[names] for names in left if names in found}
        unread = [names for names in left if names not in read and names not in found]


def _certain(names: Names, sides: tuple[Named, Named]) -> int:
    """How sure a pair is whose name or prose was kept; 0 for others."""
    before, after = sides
    if bare_name(names[0]) == bare_name(names[1]):
        return 5
    if len(before.words) >= _TELLING and before.words == after.words:
        return 4
    return _CERTAIN if _keeps(before, after) else 0


def _likely(names: Names, sides: tuple[Named, Named], same: Test, texts: Texts) -> int:
    """How sure a pair is whose name or prose is much the same; 0 for others."""
    before, after = sides
    if _say_the_same(before, after, _NEARLY, texts):
        return 2
    old, new = map(bare_name, names)
    near = 2 * _shared(*names) >= len(_name_words(names[0])) or texts.alike(old, new, _CLOSE)
    silent = not before.words and not after.words
    return int(near and same(before.shape, after.shape) and (silent or _say_the_same(before, after, _CLOSE, texts)))


def _say_the_same(before: Named, after: Named, share: float, texts: Texts) -> bool:
    """Whether so much of the prose is common: of all, or of the first clauses."""
    if min(len(before.words), len(after.words)) < _TELLING:
        return False
    ours, theirs = _first_clause(before.words), _first_clause(after.words)
    if min(len(ours), len(theirs)) >= _TELLING and texts.alike(ours, theirs, share):
        return True
    return texts.alike(before.words, after.words, share)


def _outstanding(found: Mapping[Names, Score]) -> list[Names]:
    """The pairs that are surer than each other one of the same old or the same new name."""
    scores: dict[tuple[int, str], list[Score]] = {}
    for pair, score in found.items():
        for place in enumerate(pair):
            scores.setdefault(place, []).append(score)
    best = {place: nlargest(2, each) for place, each in scores.items()}
    return [
        pair
        for pair, score in found.items()
        if all(best[place][0] == score and best[place][1:] != [score] for place in enumerate(pair))
    ]


def _alone(pair: Names, pairs: set[Names]) -> bool:
    return not any(other != pair and (other[0] == pair[0] or other[1] == pair[1]) for other in pairs)


def _keeps(before: Named, after: Named) -> bool:
    """Whether the new description still says what the old one said."""
    words = before.words.rstrip(". ")
    return len(words) >= _TELLING and (words in after.words[:_LONGEST_KEPT] or before.words == after.words)


@lru_cache(maxsize=1024)
def _first_clause(text: str) -> str:
    return _CLAUSE.split(text[:_LONGEST_CLAUSE], maxsplit=1)[0].strip()


@lru_cache(maxsize=1024)
def bare_name(name: str) -> str:
    """The letters and digits of a name, whatever their case."""
    return "".join(filter(str.isalnum, name)).casefold()


@lru_cache(maxsize=1024)
def _name_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(name))


def _shared(old: str, new: str) -> int:
    return len(_name_words(old) & _name_words(new))


def _named(views: Mapping[str, dict[str, Any]]) -> dict[str, Named]:
    return {name: Named(_description(view), _shape(view)) for name, view in views.items()}


def _description(view: dict[str, Any]) -> str:
    text = view.get("description")
    return text if isinstance(text, str) else ""


def _shape(view: dict[str, Any]) -> tuple[Hashable, Hashable]:
    """Keys of the types, and of all but annotations."""
    return key_of(view.get("type")), key_of({k: v for k, v in view.items() if k not in ANNOTATIONS})


def _same_types(before: tuple[Hashable, Hashable], after: tuple[Hashable, Hashable]) -> bool:
    return before[0] == after[0]


def _same_schema(before: tuple[Hashable, Hashable], after: tuple[Hashable, Hashable]) -> bool:
    return before[1] == after[1]
