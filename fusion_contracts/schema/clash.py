"""Whether some name that an object must have can have no value, as far as kinds and closed lists tell."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from fusion_contracts.schema.formula import ALL, Space

__all__ = ["clash"]

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
        kinds[name] = kinds.get(name, ALL) & space.may(formula)
        if not kinds[name]:
            return True
        listed = _listed(space, formula)
        if listed is not None:
            lists[name] = lists[name] & listed if name in lists else listed
            if not lists[name]:
                return True
    return False


def _listed(space: Space, formula: int) -> Listed | None:
    """The values that a formula lists, where it is a list or a conjunction with some."""
    meaning = space.meaning[formula] if formula > 0 else ("none",)
    if meaning[0] == "enum":
        return frozenset(meaning[1])
    if meaning[0] != "and":
        return None
    lists: list[Listed] = [space.meaning[part][1] for part in meaning[1] if space.meaning[part][0] == "enum"]
    return frozenset.intersection(*lists) if lists else None
