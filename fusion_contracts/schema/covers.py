"""A second proof: whether jsonschema-rs can show that a schema accepts all that another one does, however named."""

from __future__ import annotations

from typing import Any

from fusion_contracts.schema.document import LISTS
from fusion_contracts.schema.formula import Space

__all__ = ["covers"]

# More facts, ways to go in all choices, or parts in lists of schemas, take jsonschema-rs seconds.
MOST_FACTS, MOST_WAYS, MOST_LISTED = 1_500, 60, 200


def covers(space: Space, old: Any, new: Any) -> bool:
    """Whether it is proved that the new schema accepts what the old one does. `space` holds the formulas of both."""
    if len(space.meaning) > MOST_FACTS or space.ways > MOST_WAYS:
        return False
    sides = [_without_the_impossible(side) for side in (old, new)]
    if sum(map(_listed, sides)) > MOST_LISTED:
        return False
    import jsonschema_rs  # rarely needed

    try:
        before, after = (
            jsonschema_rs.canonicalize(side, draft=jsonschema_rs.Draft202012, validate_formats=False, offline=True)
            for side in sides
        )
        return str(after.covers(before)) == "yes"
    except Exception:  # noqa: BLE001 - every refusal of the library means the same here: no proof
        return False


def _without_the_impossible(schema: Any) -> Any:
    """A schema without the branches at its root that take nothing, as those of other actions do."""
    if not isinstance(schema, dict):
        return schema
    unions = {union: schema[union] for union in ("anyOf", "oneOf") if isinstance(schema.get(union), list)}
    return {**schema, **{union: [part for part in parts if part is not False] for union, parts in unions.items()}}


def _listed(schema: Any) -> int:
    """How many parts the lists of schemas in a schema have, wherever they stand."""
    count, rest = 0, [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            count += sum(len(part[keyword]) for keyword in LISTS if isinstance(part.get(keyword), list))
            rest += part.values()
        elif isinstance(part, list):
            rest += part
    return count
