"""Which new tool or prompt is which old one: by name, and where one was renamed beyond doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

__all__ = ["pair"]


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str | None: ...


Item = TypeVar("Item", bound=_Named)


def pair(
    old: Mapping[str, Item],
    new: Mapping[str, Item],
    *,
    fits: Callable[[Any, Any], bool],
    same: Callable[[Any, Any], bool],
) -> tuple[list[tuple[Item, Item]], list[Item], list[Item]]:
    """The pairs, what is gone, and what is new.

    Items are paired by name, then by what `schema.rename` says: `fits` tells whether one could stand for the other,
    `same` whether they take the same.
    """
    pairs = [(item, new[name]) for name, item in old.items() if name in new]
    gone = {name: item for name, item in old.items() if name not in new}
    fresh = {name: item for name, item in new.items() if name not in old}
    if gone and fresh:
        from fusion_contracts.schema.rename import Named, renames  # needed where something vanished and something came

        def named(items: Mapping[str, Item]) -> dict[str, Named]:
            return {name: Named(item.description or "", item) for name, item in items.items()}

        def stayed() -> dict[str, Named]:
            return named({name: item for name, item in old.items() if name in new})

        found = renames(named(gone), named(fresh), fits, same, stayed=stayed)
        pairs += [(gone.pop(name), fresh.pop(successor)) for name, successor in found]
    return pairs, list(gone.values()), list(fresh.values())
