"""Arguments that no answer depends on, and that a question about a pair of schemas may therefore leave out.

Most changes touch one argument of ten. An argument that both sides describe alike and neither requires is in no
smallest witness: where some object breaks, the same object without it breaks too. That holds while nothing else at the
root speaks of it, which is why a root with any further keyword, or with a reference that may lead here, is left whole;
and while no other value may stand under its name, so in the declared world alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.identity import Identity

__all__ = ["aside", "lists_arguments", "touches", "with_values", "without"]

# Keywords of a root that say nothing of an argument beyond what stands under its name.
_PLAIN = frozenset({
    "$comment", "$defs", "$schema", "additionalProperties", "default", "definitions", "deprecated", "description",
    "examples", "properties", "required", "title", "type",
})  # fmt: skip


def lists_arguments(root: Any) -> bool:
    """Whether a root says nothing but which arguments there are, each for itself, and which of them it requires."""
    if not isinstance(root, dict) or not root.keys() <= _PLAIN or root.get("additionalProperties", False) is not False:
        return False
    required = root.get("required", [])
    named = isinstance(required, list) and all(isinstance(name, str) for name in required)
    return named and isinstance(root.get("properties"), dict) and root.get("type", "object") == "object"


def aside(old: Any, new: Any) -> frozenset[str]:
    """The names of arguments that may be left out of two roots that list arguments, where neither holds a reference.

    Equal parts of the two documents must be the same objects (`Identity.merged`).
    """
    before, after = old["properties"], new["properties"]
    needed = {*old.get("required", ()), *new.get("required", ())}
    return frozenset(
        name for name, part in before.items() if name not in needed and part is after.get(name, MISSING)
    )


def without(schema: Any, names: frozenset[str]) -> Any:
    """The schema without these arguments; what it keeps is shared with it."""
    if not names or not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return schema
    kept = {name: part for name, part in schema["properties"].items() if name not in names}
    return {**schema, "properties": kept}


def with_values(schema: Any, values: Mapping[str, list[Any]]) -> Any:
    """The schema with these values, and nothing else, for these arguments; with any value where there is none.

    What takes no value at all stays as it is.
    """
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return schema
    held = schema["properties"]
    blank = {name: {"enum": listed} if listed else {} for name, listed in values.items() if held.get(name, False)}
    return {**schema, "properties": {**held, **blank}}


def touches(schema: Any, other: Any, names: Iterable[str], identity: Identity) -> bool:
    """Whether two roots that list arguments take other values for one of these, not counting that one takes none."""
    if not lists_arguments(schema):
        return True
    before, after = ([root["properties"].get(name, False) for name in names] for root in (other, schema))
    return any(part is not False and not identity.same(part, held) for part, held in zip(after, before, strict=True))
