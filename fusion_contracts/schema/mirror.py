"""A change read backwards: the story from new to old, told from old to new."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from fusion_contracts.schema import changes as facts

__all__ = ["mirrored"]

OPPOSITE: dict[type[facts.SchemaChange], type[facts.SchemaChange]] = {
    facts.PropertyAdded: facts.PropertyRemoved, facts.PropertyRemoved: facts.PropertyAdded,
    facts.BranchAdded: facts.BranchRemoved, facts.BranchRemoved: facts.BranchAdded,
}  # fmt: skip
SWAPPED = {"removed": "added", "added": "removed", "had": "has", "has": "had", "name": "successor", "successor": "name"}


def mirrored(change: facts.SchemaChange) -> facts.SchemaChange:
    """The same change seen from the other side."""
    place = change.place._replace(old=change.place.new, new=change.place.old)
    values: dict[str, Any] = {f.name: getattr(change, f.name) for f in fields(change)}
    values |= {"place": place, "before": change.after, "after": change.before}
    if isinstance(change, facts.PropertyRenamed):
        path = change.place.path.removesuffix(change.name) + change.successor
        values["place"] = place._replace(path=path)
    present = values.keys()
    for name, other in SWAPPED.items():
        if name in present and other in present:
            values[name] = getattr(change, other)
    if isinstance(change, facts.RequiredChanged):
        values["required"] = not change.required
    if isinstance(change, facts.BoundChanged) and change.tighter is not None:
        values["tighter"] = not change.tighter
    if isinstance(change, facts.AdditionalPropertiesChanged):
        values["explicit_before"] = True
    kind = OPPOSITE.get(type(change), type(change))
    if kind is facts.PropertyRemoved:
        values["refused"] = False
    elif kind is facts.PropertyAdded:
        values.pop("refused", None)
    return kind(**values)
