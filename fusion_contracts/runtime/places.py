"""Where in the arguments a part of a schema counts: what a pointer into it means to those who call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fusion_contracts.canonical import pointer_key
from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.shape import Shape

__all__ = ["places_of"]

_DEFINITIONS = ("$defs", "definitions")
_BRANCHES = ("allOf", "anyOf", "oneOf")
_SAME_PLACE = ("if", "then", "else", "additionalProperties")
_MOST = 5  # places that one definition is told for
_MOST_STEPS = 5_000
_DEEPEST = 8


def places_of(pointer: str, schemas: Sequence[JsonValue]) -> list[str]:
    """The places (`fields[].target`, "" for the whole input) that a pointer into an input schema speaks about.

    A definition is there wherever it is referred to: in the first of these schemas that does so.
    """
    tokens = pointer.split("/")[2:]
    at = max((index for index, token in enumerate(tokens[:-1]) if token in _DEFINITIONS), default=None)
    if at is None:
        return [_path("", tokens)]
    reference, inside = "#/" + "/".join(tokens[: at + 2]), tokens[at + 2 :]
    uses = next((found for schema in schemas if (found := _uses(schema, reference))), [])
    return [_path(use, inside) for use in uses]


def _path(place: str, tokens: Iterable[str]) -> str:
    steps = iter(tokens)
    for token in steps:
        if token == "properties":  # noqa: S105 - a keyword of JSON Schema
            name = pointer_key(next(steps, ""))
            place = f"{place}.{name}" if place else name
        elif token in {"items", "prefixItems"}:
            place += "[]"
    return place


def _uses(schema: JsonValue, reference: str) -> list[str]:
    """The places at which a schema refers to a part of itself, the nearest first."""
    shape = Shape(schema)
    waiting: list[tuple[JsonValue, str, int]] = [(schema, "", 0)]
    found: dict[str, None] = {}
    for here, place, depth in waiting:  # it grows on the way
        if len(waiting) > _MOST_STEPS or len(found) == _MOST:
            break
        if not isinstance(here, dict) or depth > _DEEPEST:
            continue
        if here.get("$ref") == reference:
            found[place] = None
        elif "$ref" in here:
            waiting.append((shape.target(here["$ref"]), place, depth + 1))
        waiting += [(part, inner, depth + 1) for part, inner in _parts(here, place)]
    return list(found)


def _parts(schema: dict[str, JsonValue], place: str) -> Iterable[tuple[JsonValue, str]]:
    properties = schema.get("properties")
    for name, part in properties.items() if isinstance(properties, dict) else ():
        yield part, f"{place}.{name}" if place else name
    for keyword in ("items", "prefixItems"):
        items = schema.get(keyword)
        yield from ((part, f"{place}[]") for part in (items if isinstance(items, list) else [items]))
    for keyword in _BRANCHES:
        branches = schema.get(keyword)
        yield from ((part, place) for part in (branches if isinstance(branches, list) else ()))
    yield from ((schema.get(keyword), place) for keyword in _SAME_PLACE)
