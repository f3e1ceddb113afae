"""Fields of a contract that are plain JSON: whether they are the same, and facts about those that are not."""

from __future__ import annotations

from collections.abc import Container, Iterator

from fusion_contracts.canonical import pointer_token, text_of
from fusion_contracts.diff.changes import (
    ContractChange,
    DisplayTitleChanged,
    IconsChanged,
    ProseChanged,
    UnclassifiedChange,
)
from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["field_facts", "leaves", "same", "same_types", "without"]

_KNOWN: dict[str, type[ContractChange]] = {
    "title": DisplayTitleChanged,
    "description": ProseChanged,
    "icons": IconsChanged,
}


def same(a: JsonValue, b: JsonValue) -> bool:
    """JSON equality as `canonical.equal` has it (1 is not true), much faster: where it can, C compares."""
    if a is b or a != b:
        return a is b
    if isinstance(a, str) or (isinstance(a, (dict, list)) and not a):  # holds nothing that could be of two types
        return True
    return same_types(a, b)


def same_types(a: JsonValue, b: JsonValue) -> bool:
    """Of two values that Python calls equal: whether JSON does, which tells 1, 1.0, true, and 0.0, -0.0 apart."""
    return text_of(a) == text_of(b) is not None or _same_types(a, b)


def _same_types(a: JsonValue, b: JsonValue) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return all(isinstance(item, str) or _same_types(item, b[key]) for key, item in a.items())
    if isinstance(a, (list, tuple)):
        return all(map(_same_types, a, b))
    return not isinstance(a, float) or repr(a) == repr(b)


def field_facts(old: JsonObject, new: JsonObject, pointer: str, name: str = "") -> Iterator[ContractChange]:
    """A fact for each field that differs: titles, descriptions and icons by their own, the others unclassified."""
    if same(old, new):
        return
    for key, kind in _KNOWN.items():
        before, after = old.get(key), new.get(key)
        if _texts(key, before, after) and not same(before, after):
            yield kind(pointer=f"{pointer}/{key}", name=name, before=before, after=after)
    known = {key for key in _KNOWN if _texts(key, old.get(key), new.get(key))}
    yield from leaves(without(old, known), without(new, known), pointer)


def without(fields: JsonObject, keys: Container[str]) -> JsonObject:
    """The fields but those of `keys`."""
    return {key: item for key, item in fields.items() if key not in keys}


def _texts(key: str, before: JsonValue, after: JsonValue) -> bool:
    """Whether a known field has the type it should have; one that has not is described as any unknown field."""
    kind = list if key == "icons" else str
    return all(item is None or isinstance(item, kind) for item in (before, after))


def leaves(old: JsonObject, new: JsonObject, pointer: str) -> Iterator[UnclassifiedChange]:
    """A fact for each field that differs, as deep as both sides are objects. Nothing is left out."""
    for key in sorted(old.keys() | new.keys()):
        had, has = key in old, key in new
        before, after = old.get(key), new.get(key)
        if had == has and same(before, after):
            continue
        below = f"{pointer}/{pointer_token(key)}"
        if isinstance(before, dict) and isinstance(after, dict):
            yield from leaves(before, after, below)
        else:
            yield UnclassifiedChange(pointer=below, before=before, after=after, had=had, has=has)
