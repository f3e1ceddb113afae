"""Different values for some goals: a matching of goals and values, since a greedy choice may run out of values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from fusion_contracts.schema.answer import NOTHING, Goal
from fusion_contracts.schema.values import key_of

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["matching"]

CHEAP = 8  # values that cost as much to list as one step


def matching(solver: Solver, goals: tuple[Goal, ...]) -> list[Any] | None:
    """A value for each goal, all different; None where there are not enough. Raises Undecided."""
    found = {goal: _domain(solver, goal, len(goals)) for goal in dict.fromkeys(goals)}
    domains = [found[goal] for goal in goals]
    owner: dict[Hashable, int] = {}

    def seat(place: int, seen: set[Hashable]) -> bool:
        """Find the place a value, moving others to another of theirs where that helps."""
        free = next((key for key in domains[place] if key not in owner), None)
        if free is not None:
            owner[free] = place
            return True
        for key in domains[place]:
            if key not in seen:
                seen.add(key)
                if key not in owner or seat(owner[key], seen):
                    owner[key] = place
                    return True
        return False

    if not all(seat(place, set()) for place in range(len(goals))):
        return None
    chosen = {place: key for key, place in owner.items()}
    return [domains[place][chosen[place]] for place in range(len(goals))]


def _domain(solver: Solver, goal: Goal, most: int) -> dict[Hashable, Any]:
    """Up to `most` different values for a goal, by key: that many are enough, whatever the others take."""
    values: dict[Hashable, Any] = {}
    while len(values) < most:
        solver.spend(1 + len(values) // CHEAP)  # listing what to avoid is the dearer, the more there is
        avoid = {-solver.space.enum(values.values())} if values else set()
        value = solver.solve(goal | avoid)
        if value is NOTHING:
            break
        values[key_of(value)] = value
    return values
