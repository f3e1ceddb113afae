"""One edit where the same one was found several times: in each action of a tool, or at each use of a definition."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import fields, replace

from fusion_contracts.schema.changes import Edit, SchemaChange
from fusion_contracts.schema.identity import Identity

__all__ = ["same_place", "united", "worst"]

_WEIGHT = {"breaks": 2, "undecided": 1, "safe": 0}


def same_place(change: SchemaChange) -> Hashable:
    """What two findings of one edit have in common: the kind, the places in both documents, the name or keyword."""
    told = (getattr(change, name, None) for name in ("name", "keyword", "pattern", "index"))
    return (type(change), change.place.old, change.place.new, *told)


def united(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits, each once: those that stand at one place of the old document and say the same are one.

    A definition that is narrowed, and of which one use was written out with the narrow schema, is such a place.
    """
    edits = tuple(edits)
    if len(edits) <= 1:
        return edits
    groups: dict[Hashable, list[Edit]] = {}
    for edit in edits:
        change = edit.change
        key = same_place(change) if change.place.old is None else (type(change), change.place.old)
        groups.setdefault(key, []).append(edit)
    identity = Identity()
    return tuple(edit for group in groups.values() for edit in _told_once(group, identity))


def _told_once(group: list[Edit], identity: Identity) -> Iterable[Edit]:
    if len(group) == 1:
        return group
    alike: dict[Hashable, list[Edit]] = {}
    for edit in group:
        own = [
            getattr(edit.change, field.name) for field in fields(edit.change) if field.name not in ("place", "refused")
        ]
        alike.setdefault(identity.number([list(part) if isinstance(part, tuple) else part for part in own]), []).append(
            edit
        )
    return [worst(edits) for edits in alike.values()]


def worst(edits: list[Edit]) -> Edit:
    """One edit for several findings of it: the worst effect, and every argument that it reaches."""
    chosen = max(edits, key=lambda edit: _WEIGHT[edit.effect])
    paths = dict.fromkeys(path for edit in edits for path in edit.change.place.uses or (edit.change.place.path,))
    if len(paths) == 1:
        return chosen
    return chosen._replace(change=replace(chosen.change, place=chosen.change.place._replace(uses=tuple(paths))))
