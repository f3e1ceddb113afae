"""Whether some name that an object must have can have no value, as far as kinds and closed lists tell."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from fusion_contracts.schema.formula import ALL, Space

__all__ = ["clash", "meeting"]

Listed: TypeAlias = frozenset[Hashable]


def clash(space: Space, facts: set[int]) -> bool:
    """Whether facts about an object contradict each other at some name. Cheap and partial: False proves nothing."""
    needed = {space.meaning[f][1] for f in facts if f > 0 and space.meaning[f][0] == "req"}
    kinds: dict[str, int] = {}
    lists: dict[str, Listed] = {}
    for fact in facts:
        meaning = space.meaning[abs(fact)]
        if meaning[0] != "prop" or (fact > 0 and meaning[1] not in needed):
            continue
        name, formula = meaning[1], meaning[2] if fact > 0 else -meaning[2]
        kinds[name] = kinds.get(name, ALL) & space.may[formula]
        if not kinds[name]:
            return True
        listed = _listed(space, formula)
        if listed is not None:
            lists[name] = lists[name] & listed if name in lists else listed
            if not lists[name]:
                return True
    return False


def meeting(space: Space, branches: Sequence[Iterable[int]]) -> list[tuple[int, int]]:
    """The pairs of objects, each given by its facts, that may be the same: no discriminator tells them apart."""
    lists = [_required_lists(space, facts) for facts in branches]
    listing: dict[str, list[Listed]] = {}
    for each in lists:
        for name, listed in each.items():
            listing.setdefault(name, []).append(listed)
    name = max(listing, key=lambda name: (len(listing[name]), len(set(listing[name]))), default="")
    by_value: dict[Hashable, list[int]] = {}
    pairs: set[tuple[int, int]] = set()
    for index, each in enumerate(lists):
        for value in each.get(name, ()):
            by_value.setdefault(value, []).append(index)
        if name not in each:
            pairs.update((min(index, other), max(index, other)) for other in range(len(lists)) if other != index)
    pairs.update(pair for group in by_value.values() for pair in combinations(group, 2))
    return sorted(pairs)


def _required_lists(space: Space, facts: Iterable[int]) -> dict[str, Listed]:
    """The closed lists of values of names that must be there."""
    meanings = [space.meaning[fact] for fact in facts if fact > 0]
    needed = {meaning[1] for meaning in meanings if meaning[0] == "req"}
    lists: dict[str, Listed] = {}
    for meaning in meanings:
        listed = _listed(space, meaning[2]) if meaning[0] == "prop" and meaning[1] in needed else None
        if listed is not None:
            lists[meaning[1]] = lists[meaning[1]] & listed if meaning[1] in lists else listed
    return lists


def _listed(space: Space, formula: int) -> Listed | None:
    """The values that a formula lists, where it is a list or a conjunction with some."""
    meaning = space.meaning[formula] if formula > 0 else ("none",)
    if meaning[0] == "enum":
        return frozenset(meaning[1])
    if meaning[0] != "and":
        return None
    lists: list[Listed] = [space.meaning[part][1] for part in meaning[1] if space.meaning[part][0] == "enum"]
    return frozenset.intersection(*lists) if lists else None
