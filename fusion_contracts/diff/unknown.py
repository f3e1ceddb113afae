"""Saying what changed in a value that nothing here knows: the one place for DeepDiff."""

from __future__ import annotations

from fusion_contracts.diff.wording import shift, short
from fusion_contracts.model import JsonValue

__all__ = ["described"]

_MOST = 3


def described(before: JsonValue, after: JsonValue, *, had: bool | None = None, has: bool | None = None) -> str:
    """How a value of unknown meaning changed, as a predicate: `changed ("a" -> "b")`, `changed: [0].src added (1)`.

    `had` and `has` tell a missing value from null; without them null counts as missing.
    """
    if isinstance(before, (list, dict)) and isinstance(after, (list, dict)):
        inside = _inside(before, after)
        if inside:
            rest = len(inside) - _MOST
            return f"changed: {'; '.join(inside[:_MOST])}" + (f"; and {rest} more" if rest > 0 else "")
    return shift(before, after, had=had, has=has)


def _inside(before: JsonValue, after: JsonValue) -> list[str]:
    """A line for each difference inside two values, in the order of their places."""
    from deepdiff import DeepDiff  # 140 ms, only for lists and objects of unknown meaning

    tree = DeepDiff(before, after, view="tree")
    found = []
    for kind, levels in tree.items():
        for level in levels:
            path = level.path(output_format="list")
            change = shift(level.t1, level.t2, had=not kind.endswith("_added"), has=not kind.endswith("_removed"))
            found.append(f"{_place(path)} {change}" if path else change)
    return sorted(found)


def _place(path: list[str | int]) -> str:
    """A path as people write it: `[0].src`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{short(step)}" for step in path)
    return "".join(steps).removeprefix(".")
