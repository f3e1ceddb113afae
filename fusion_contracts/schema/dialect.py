"""Translation of the dialects of JSON Schema to 2020-12.

A translation accepts exactly the values that the original accepts: tuples, dependencies, boolean bounds, `nullable`,
identifiers that are anchors, ignored siblings of `$ref`, ignored keywords of later drafts. References stay valid: one
that points at what has moved is rewritten, and what only a reference reaches (`#/components/schemas/X`) is copied to
`$defs`. What cannot be said in 2020-12 is Untranslatable.

Many schemas name no dialect, or another than the one they are written in. What has one reading alone is read by it
in every dialect: `is_odd`.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from fusion_contracts.schema.dialect_keywords import DIALECTS, LATEST, LATEST_URI, MAYBE_ODD, is_odd, reworded
from fusion_contracts.schema.dialect_places import Place, Places, Untranslatable, dialect_name, split
from fusion_contracts.schema.document import REFERENCES, UNMARKED, may_refer

__all__ = ["Untranslatable", "dialect_of", "read", "translate"]

_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*\Z")
# Where none of these stands in a document there is nothing to translate but what `is_odd`.
_OLDER = {"$id", "$recursiveAnchor", "$schema", "additionalItems", "dependencies", "id", "nullable", "unevaluatedItems"}
_MARKING = frozenset({"contains", "unevaluatedItems"})
_TELLING = {name: REFERENCES | _OLDER | dialect.unknown for name, dialect in DIALECTS.items()}
_TELLING[LATEST] = frozenset({"$dynamicRef", "$id", "$schema"})


def dialect_of(schema: Any, default: str = LATEST) -> str:
    """The dialect that the root's `$schema` names, `unknown` for one that is not known, the default without any."""
    if not isinstance(schema, dict) or schema.get("$schema") is None:
        return default
    return dialect_name(schema["$schema"])


def translate(schema: Any, dialect: str) -> Any:
    """The schema in 2020-12, a new value that may share unchanged parts; the same object when it says the same there.

    `dialect` is that of the document; `$schema` inside of it counts for its part. What no validator would take is
    passed through. Raises Untranslatable.
    """
    return read(schema, dialect)[0]


def read(schema: Any, dialect: str) -> tuple[Any, bool]:
    """What `translate` returns, and whether a reference may stand in it."""
    if dialect not in DIALECTS:
        raise Untranslatable("the dialect of the schema is not known here")
    if not isinstance(schema, dict):
        return schema, False
    refers = _plain(schema, dialect)
    if refers is None:
        translated = _Translation(Places(schema, DIALECTS[dialect])).document()
        return translated, may_refer(translated)
    if dialect == LATEST or "$schema" not in schema:
        return schema, refers
    return {"$schema": LATEST_URI, **{key: part for key, part in schema.items() if key != "$schema"}}, refers


def _plain(schema: dict[str, Any], dialect: str) -> bool | None:
    """Whether a document refers, if nothing in it needs translation but the root's `$schema`; None if something may."""
    watched = _TELLING[dialect] | REFERENCES
    refers = False
    stack: list[Any] = [schema]
    while stack:
        value = stack.pop()
        if not isinstance(value, dict):
            stack += [part for part in value if isinstance(part, (dict, list))]
            continue
        if not watched.isdisjoint(value):
            refers = refers or not REFERENCES.isdisjoint(value)
            if _tells(value, schema, dialect):
                return None
        for key, part in value.items():
            if type(part) is str and part != "any":  # most of what there is; `any` alone may be an odd type
                continue
            if isinstance(part, dict):
                stack.append(part)
            elif (part is None or key in MAYBE_ODD) and is_odd(key, part):
                return None
            elif isinstance(part, list):
                stack.append(part)
    return refers


def _tells(value: dict[str, Any], root: dict[str, Any], dialect: str) -> bool:
    words = _TELLING[dialect] & value.keys()
    if dialect == LATEST and "$id" in words and "#" not in str(value["$id"]):
        words -= {"$id"}
    return bool(words) and (value is not root or words != {"$schema"} or dialect_of(root, dialect) != dialect)


class _Translation:
    """One document. Schemas are rewritten from the innermost out; nothing recurses."""

    def __init__(self, places: Places) -> None:
        self.places = places
        schemas = [place for place in places.order if isinstance(place.value, dict)]
        self.recursive = sum(p.resource is p and p.value.get("$recursiveAnchor") is True for p in schemas)
        self.dynamic = [p.value["$dynamicAnchor"] for p in schemas if isinstance(p.value.get("$dynamicAnchor"), str)]
        self.fragments = {unquote(split(p.value["$ref"])[1]) for p in schemas if isinstance(p.value.get("$ref"), str)}
        self.doubts = _may_mark(schemas)

    def document(self) -> Any:
        order = self.places.order
        strays = any(place.stray is not None for place in order)
        if strays and all(self._own(place, place.value) is place.value for place in order):
            return self.places.root.value
        done: dict[int, Any] = {}
        for place in reversed(order):
            value = self._own(place, self._with_parts(place, done))
            done[id(place)] = self._with_strays(place, self._aimed(place, value), done)
        return done[id(self.places.root)]

    def _with_parts(self, place: Place, done: dict[int, Any]) -> Any:
        """The schema with its translated subschemas where the originals stood."""
        value = place.value
        copied: set[str] = set()
        for path, child in place.children.items():
            new = done[id(child)]
            if new is child.value:
                continue
            if value is place.value:
                value = dict(value)
            if len(path) == 1:
                value[path[0]] = new
                continue
            if path[0] not in copied:
                copied.add(path[0])
                value[path[0]] = value[path[0]].copy()
            holder = value[path[0]]
            holder[int(path[1]) if isinstance(holder, list) else path[1]] = new
        return value

    def _own(self, place: Place, value: Any) -> Any:
        """The schema's own keywords in 2020-12, references apart."""
        if not isinstance(value, dict):
            return value
        value = self._named(place, _demanding(place, reworded(value, place.dialect)))
        if place.dialect.name == "2019-09":
            doubtful = self.doubts and "unevaluatedItems" in value
            return self._recursive(place, {**value, UNMARKED: True} if doubtful else value)
        return self._dynamic(place, value) if place.dialect.name == LATEST and "$dynamicRef" in value else value

    def _named(self, place: Place, value: dict[str, Any]) -> dict[str, Any]:
        """`$schema`, identifiers, and identifiers that are anchors."""
        if "$schema" in value and dialect_name(value["$schema"]) != LATEST:
            value = {key: part for key, part in value.items() if key != "$schema"}
            if place.resource is place:
                value = {"$schema": LATEST_URI, **value}
        key = place.dialect.identifier
        if key is None or not isinstance(value.get(key), str):
            return value
        uri, fragment = split(value[key])
        if key == "$id" and uri == value[key]:
            return value
        value = {name: part for name, part in value.items() if name != key}
        if uri and not fragment:
            return {"$id": uri, **value}
        if _ANCHOR.match(fragment):
            return {"$anchor": fragment, **value}
        if fragment in self.fragments and not fragment.startswith("/"):
            raise Untranslatable(f"2020-12 allows no anchor of the name {fragment!r}", place.pointer())
        return value

    def _recursive(self, place: Place, value: dict[str, Any]) -> dict[str, Any]:
        if "$recursiveAnchor" in value:
            value = {key: part for key, part in value.items() if key != "$recursiveAnchor"}
        if "$recursiveRef" not in value:
            return value
        root = place.resource.value
        if value["$recursiveRef"] != "#" or (self.recursive > 1 and root.get("$recursiveAnchor") is True):
            raise Untranslatable("$recursiveRef depends on where it is reached from", place.pointer())
        return _referring(value, "$recursiveRef")

    def _dynamic(self, place: Place, value: dict[str, Any]) -> dict[str, Any]:
        reference = value["$dynamicRef"]
        if not isinstance(reference, str):
            return value
        if self.dynamic.count(unquote(split(reference)[1])) > 1:
            raise Untranslatable("$dynamicRef depends on where it is reached from", place.pointer())
        return _referring(value, "$dynamicRef")

    def _aimed(self, place: Place, value: Any) -> Any:
        """The reference rewritten where its target has moved."""
        found = self.places.targets.get(id(place))
        if found is None:
            return value
        top, target = found
        reference = value["$ref"]
        uri, fragment = split(reference)
        new = target.fragment(top)
        return value if unquote(new) == "#" + unquote(fragment) else {**value, "$ref": uri + new}

    def _with_strays(self, place: Place, value: Any, done: dict[int, Any]) -> Any:
        strays = self.places.homes.get(id(place))
        if not strays:
            return value
        held = value.get("$defs") if isinstance(value.get("$defs"), dict) else {}
        return {**value, "$defs": {**held, **{stray.stray: done[id(stray)] for stray in strays}}}


def _demanding(place: Place, value: dict[str, Any]) -> dict[str, Any]:
    """An object that asks for the properties of which `required` is true, as draft-03 wrote it.

    Beside a `$ref` whose siblings are ignored it says nothing.
    """
    listed = value.get("required", [])
    asked = [
        path[1]
        for path, child in place.children.items()
        if path[0] == "properties" and isinstance(child.value, dict) and child.value.get("required") is True
        if not child.lone_reference()
    ]
    if not asked or not isinstance(listed, list):
        return value
    held = {name for name in listed if isinstance(name, str)}
    return {**value, "required": [*listed, *(name for name in asked if name not in held)]}


def _may_mark(schemas: list[Place]) -> bool:
    """Whether it counts if `contains` marks items as evaluated: not by the text of 2019-09, but validators do so."""
    telling = [place for place in schemas if not _MARKING.isdisjoint(place.value)]
    dialects = {place.dialect.name for place in telling} & {"2019-09", LATEST}
    if "2019-09" not in dialects or not all(any(word in place.value for place in telling) for word in _MARKING):
        return False
    if len(dialects) > 1:
        raise Untranslatable("contains beside unevaluatedItems means something else in 2020-12", telling[0].pointer())
    return True


def _referring(value: dict[str, Any], keyword: str) -> dict[str, Any]:
    """A `$ref` in the place of another reference; inside `allOf` when there is a `$ref` already."""
    changed = {key: part for key, part in value.items() if key != keyword}
    if "$ref" not in changed:
        return {"$ref": value[keyword], **changed}
    parts = changed.get("allOf", [])
    return {**changed, "allOf": [*parts, {"$ref": value[keyword]}]} if isinstance(parts, list) else value
