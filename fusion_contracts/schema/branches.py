"""Which branch of a union is which on the other side: by what it says, never by where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from fusion_contracts.schema.document import Scope
from fusion_contracts.schema.identity import Identity
from fusion_contracts.schema.values import key_of
from fusion_contracts.schema.view import Viewer

__all__ = ["Pairing", "Pairs", "Tag"]

Tag: TypeAlias = "tuple[str, Any] | None"
Pairs: TypeAlias = list[tuple[int, int, Tag]]
HALF = 0.5


@dataclass(slots=True)
class _Side:
    """The branches of one side: those that are still alone, and what tells each apart."""

    branches: list[Any]
    scope: Scope
    tags: dict[int, tuple[str, Any]]
    left: set[int]


class Pairing:
    """Pairs branches, reading them through one viewer."""

    def __init__(self, viewer: Viewer, identity: Identity) -> None:
        self._viewer = viewer
        self._identity = identity

    def pair(
        self, old: list[Any], new: list[Any], old_scope: Scope, new_scope: Scope, *, by_place: bool = False
    ) -> tuple[Pairs, list[tuple[int, Tag]], list[tuple[int, Tag]]]:
        """Pairs of indices with what tells the branch apart, then the indices that are left on each side.

        Equal branches go together, then those with the same discriminator value, the same reference, the same title,
        the same types; then those that alone share values of a property; then objects that share most names; at last
        a single one that is left on both sides
        (`by_place`: all that are left, in order).
        """
        sides = [self._side(branches, scope) for branches, scope in ((old, old_scope), (new, new_scope))]
        pairs: Pairs = []
        for found in self._found(*sides, by_place=by_place):
            for i, j in found:
                pairs.append((i, j, sides[0].tags.get(i)))
                sides[0].left.discard(i)
                sides[1].left.discard(j)
        removed, added = ([(i, side.tags.get(i)) for i in sorted(side.left)] for side in sides)
        return sorted(pairs, key=lambda pair: pair[0]), removed, added

    def _side(self, branches: list[Any], scope: Scope) -> _Side:
        admitting = {index for index, branch in enumerate(branches) if branch is not False}
        return _Side(branches, scope, self._discriminator(branches, scope), admitting)

    def _found(self, old: _Side, new: _Side, *, by_place: bool) -> Iterator[Iterable[tuple[int, int]]]:
        """Pairs of indices, the surest first; each lot is looked for among what those before it left."""
        yield self._named(self._text, old, new, repeated=True)
        for name in (_tag, _reference, self._title, self._types):
            yield self._named(name, old, new)
        yield self._sharing(old, new)
        yield self._similar(old, new)
        yield _last(old, new, by_place=by_place)

    def _discriminator(self, branches: list[Any], scope: Scope) -> dict[int, tuple[str, Any]]:
        """The property with one constant value that tells branches apart, and its value in each that has one."""
        constants: dict[str, dict[int, Any]] = {}
        for index, branch in enumerate(branches):
            properties = self._viewer.view(branch, scope).keywords.get("properties")
            for name, part in properties.items() if isinstance(properties, dict) else ():
                values = self._viewer.view(part, scope).keywords.get("enum")
                if isinstance(values, list) and len(values) == 1:
                    constants.setdefault(name, {})[index] = values[0]
        best = max(constants.items(), key=lambda item: len({key_of(v) for v in item[1].values()}), default=None)
        if best is None or len({key_of(v) for v in best[1].values()}) < len(best[1]):
            return {}
        return {index: (best[0], value) for index, value in best[1].items()}

    def _named(
        self, name: Callable[[_Side, int], Any], old: _Side, new: _Side, *, repeated: bool = False
    ) -> list[tuple[int, int]]:
        """Branches that share a name which no other branch of their side has (or may have, where it is `repeated`)."""
        groups, others = (_grouped(name, side) for side in (old, new))
        found: list[tuple[int, int]] = []
        for key, indices in groups.items():
            alike = others.get(key, [])
            if len(indices) == len(alike) == 1 or repeated:
                found += zip(indices, alike, strict=False)
        return found

    def _sharing(self, old: _Side, new: _Side) -> list[tuple[int, int]]:
        """Branches whose lists of values for one property meet, and meet no other: one that gained or lost values."""
        lists = [self._listed(side) for side in (old, new)]
        for name in sorted(lists[0].keys() & lists[1].keys()):
            left, right = lists[0][name], lists[1][name]
            meeting = [(i, j) for i, a in left.items() for j, b in right.items() if a & b]
            ours, theirs = (Counter(pair[side] for pair in meeting) for side in (0, 1))
            alone = [(i, j) for i, j in meeting if ours[i] == theirs[j] == 1]
            if alone:
                return alone
        return []

    def _listed(self, side: _Side) -> dict[str, dict[int, frozenset[Any]]]:
        """By property: the closed list of values in each branch that is left and has one."""
        found: dict[str, dict[int, frozenset[Any]]] = {}
        for index in sorted(side.left):
            properties = self._keyword(side, index, "properties")
            for name, part in properties.items() if isinstance(properties, dict) else ():
                values = self._viewer.view(part, side.scope).keywords.get("enum")
                if isinstance(values, list):
                    found.setdefault(name, {})[index] = frozenset(map(key_of, values))
        return found

    def _similar(self, old: _Side, new: _Side) -> list[tuple[int, int]]:
        """Objects without a discriminator that share at least half of their property names, the closest first."""
        left, right = (self._named_objects(side) for side in (old, new))
        shares = sorted(
            (-_share(a, b), i, j) for i, a in left.items() for j, b in right.items() if _share(a, b) >= HALF
        )
        taken: dict[int, int] = {}
        others: set[int] = set()
        for _, i, j in shares:
            if i not in taken and j not in others:
                taken[i] = j
                others.add(j)
        return list(taken.items())

    def _named_objects(self, side: _Side) -> dict[int, frozenset[str]]:
        """The names of properties of the branches that have any, and no discriminator."""
        found = {index: self._keyword(side, index, "properties") for index in side.left if index not in side.tags}
        return {index: frozenset(names) for index, names in found.items() if isinstance(names, dict) and names}

    def _keyword(self, side: _Side, index: int, keyword: str) -> Any:
        return self._viewer.view(side.branches[index], side.scope).keywords.get(keyword)

    def _text(self, side: _Side, index: int) -> int:
        return self._identity.number(side.branches[index])

    def _title(self, side: _Side, index: int) -> Any:
        title = self._keyword(side, index, "title")
        return title if isinstance(title, str) else None

    def _types(self, side: _Side, index: int) -> Any:
        types = self._keyword(side, index, "type")
        return key_of(types) if isinstance(types, (str, list)) else None


def _grouped(name: Callable[[_Side, int], Any], side: _Side) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for index in sorted(side.left):
        key = name(side, index)
        if key is not None:
            groups.setdefault(key, []).append(index)
    return groups


def _share(left: frozenset[str], right: frozenset[str]) -> float:
    """How much of all names both have."""
    return len(left & right) / len(left | right)


def _last(old: _Side, new: _Side, *, by_place: bool) -> list[tuple[int, int]]:
    tagged = any(index in side.tags for side in (old, new) for index in side.left)
    if by_place or (len(old.left) == len(new.left) == 1 and not tagged):
        return list(zip(sorted(old.left), sorted(new.left), strict=False))
    return []


def _tag(side: _Side, index: int) -> Any:
    tag = side.tags.get(index)
    return None if tag is None else (tag[0], key_of(tag[1]))


def _reference(side: _Side, index: int) -> Any:
    branch = side.branches[index]
    return branch.get("$ref") if isinstance(branch, dict) and isinstance(branch.get("$ref"), str) else None
