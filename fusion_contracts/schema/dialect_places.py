"""Where the schemas of a document stand, each with its dialect and its resource, and what references point at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote, urljoin

from fusion_contracts.canonical import pointer_key, pointer_token
from fusion_contracts.schema.dialect_keywords import DIALECTS, LATEST, OPENAPI, URIS, Dialect, moved

__all__ = ["Place", "Places", "Untranslatable", "dialect_name", "split"]


class Untranslatable(Exception):  # noqa: N818 - an answer, not an error
    """A schema that cannot be said in 2020-12: `reason` says why, `pointer` where (RFC 6901)."""

    def __init__(self, reason: str, pointer: str = "") -> None:
        self.reason = reason
        self.pointer = pointer
        super().__init__(f"{pointer}: {reason}" if pointer else reason)


def dialect_name(uri: Any) -> str:
    """The dialect that a `$schema` names, `unknown` when none is known by it."""
    if not isinstance(uri, str):
        return "unknown"
    name = uri.strip().removeprefix("https://").removeprefix("http://").removesuffix("#")
    return URIS.get(name) or (LATEST if name.startswith(OPENAPI) else "unknown")


def split(reference: str) -> tuple[str, str]:
    """The URI and the fragment of a reference; whatever was written, it has both."""
    uri, _, fragment = reference.partition("#")
    return uri, fragment


def _joined(base: str, uri: str) -> str:
    try:
        return urljoin(base, uri)
    except ValueError:  # not a URI at all: it names nothing else
        return uri


class Place:
    """A schema within the document.

    `path` leads here from the parent; `base` is the URI that references are resolved from, `resource` the place of the
    root that this URI names. `stray` is the name in `$defs` that a schema gets which stands where its dialect has none
    and which only a reference reaches.
    """

    __slots__ = ("base", "children", "dialect", "parent", "path", "resource", "stray", "strays", "value")

    def __init__(self, value: Any, parent: Place | None, path: tuple[str, ...], dialect: Dialect) -> None:
        self.value = value
        self.parent = parent
        self.path = path
        self.dialect = dialect
        self.stray: str | None = None
        self.strays: list[Place] = []
        self.base: str = parent.base if parent else ""
        self.resource: Place = parent.resource if parent else self
        self.children: dict[tuple[str, ...], Place] = {}
        if isinstance(value, dict):
            if parent is not None and value.get("$schema") is not None:
                self._switch(dialect_name(value["$schema"]))
            self._identify(value)

    def _switch(self, name: str) -> None:
        """Take the dialect of a `$schema` inside of the document, as validators do, with an identifier or without."""
        if name not in DIALECTS:
            raise Untranslatable("a schema of a dialect that is not known here", self.pointer())
        self.dialect = DIALECTS[name]

    def _identify(self, value: dict[str, Any]) -> None:
        dialect = self.dialect
        identifier = value.get(dialect.identifier) if dialect.identifier else None
        if not isinstance(identifier, str) or self.lone_reference():
            return
        uri, fragment = split(identifier)
        base = _joined(self.base, uri)
        if fragment and base != self.base:
            raise Untranslatable(f"{dialect.identifier} names a resource and an anchor at once", self.pointer())
        if uri and not fragment:
            self.base = base
            self.resource = self

    def lone_reference(self) -> bool:
        """Whether the schema is a `$ref` whose siblings are ignored."""
        return self.dialect.alone and isinstance(self.value, dict) and isinstance(self.value.get("$ref"), str)

    def pointer(self) -> str:
        """The place in the document as it was written."""
        tokens: list[str] = []
        place: Place = self
        while place.parent is not None:
            tokens.extend(reversed(place.path))
            place = place.parent
        return "".join(f"/{pointer_token(token)}" for token in reversed(tokens))

    def fragment(self, top: Place) -> str:
        """The fragment that reaches the translated place from the root of a resource around it."""
        tokens: list[str] = []
        place: Place = self
        while place is not top and (parent := place.parent) is not None:
            path = moved(place.path, parent.dialect) if place.stray is None else ("$defs", place.stray)
            tokens.extend(reversed(path))
            place = parent if place.stray is None else parent.resource
        quoted = (quote(pointer_token(token), safe=_PLAIN, errors="surrogatepass") for token in reversed(tokens))
        return "#" + "".join(f"/{token}" for token in quoted)


class Places:
    """All schemas of a document, those that stand inside of others after them, and strays last."""

    def __init__(self, root: Any, dialect: Dialect) -> None:
        self.root = Place(root, None, (), dialect)
        self.order: list[Place] = []
        self.resources: dict[str, Place] = {}
        self.homes: dict[int, list[Place]] = {}
        self.targets: dict[int, tuple[Place, Place]] = {}
        self._enter(self.root)
        at = 0
        while at < len(self.order):  # resolving may enter strays, which refer further
            place = self.order[at]
            reference = place.value.get("$ref") if isinstance(place.value, dict) else None
            if isinstance(reference, str):
                found = self._resolved(reference, place)
                if found is not None:
                    self.targets[id(place)] = found
            at += 1

    def _enter(self, place: Place) -> None:
        start = len(self.order)
        self.order.append(place)
        at = start
        while at < len(self.order):
            parent = self.order[at]
            if parent.resource is parent and parent.base:
                self.resources.setdefault(parent.base, parent)
            for path, value in _subschemas(parent):
                child = parent.children[path] = Place(value, parent, path, parent.dialect)
                self.order.append(child)
            at += 1

    def resource(self, reference: str, place: Place) -> Place | None:
        """The resource that a reference names, None when it is not in the document."""
        uri, _ = split(reference)
        if not uri:
            return place.resource
        full = _joined(place.base, uri)
        return place.resource if full == place.base else self.resources.get(full)

    def _resolved(self, reference: str, place: Place) -> tuple[Place, Place] | None:
        """The resource and the schema that a reference by JSON pointer names; None for any other reference."""
        fragment = split(reference)[1]
        top = self.resource(reference, place)
        if top is None or not fragment.startswith("/"):
            return None
        tokens = unquote(fragment[1:], errors="surrogatepass").split("/")  # decoded first (RFC 6901, section 6)
        tokens = [pointer_key(token) for token in tokens]
        target = self._walked(top, tokens)
        return None if target is None else (top, target)

    def _walked(self, top: Place, tokens: list[str]) -> Place | None:
        place, at = top, 0
        while at < len(tokens):
            child = place.children.get(tuple(tokens[at : at + 2])) or place.children.get((tokens[at],))
            if child is None:
                rest = tuple(tokens[at:])
                child = next((stray for stray in place.strays if rest[: len(stray.path)] == stray.path), None)
            if child is None:
                return self._stray(place, tuple(tokens[at:]))
            place = child
            at += len(child.path)
        return place

    def _stray(self, parent: Place, path: tuple[str, ...]) -> Place | None:
        value = parent.value
        for token in path:
            if isinstance(value, dict) and token in value:
                value = value[token]
            elif isinstance(value, list) and token.isascii() and token.isdecimal() and int(token) < len(value):
                value = value[int(token)]
            else:
                return None
        if not isinstance(value, dict | bool):
            return None
        place = Place(value, parent, path, parent.dialect)
        parent.strays.append(place)
        home = parent.resource
        siblings = self.homes.setdefault(id(home), [])
        taken = {*_names(home), *(sibling.stray for sibling in siblings)}
        place.stray = next(name for name in _fresh(path[-1]) if name not in taken)
        siblings.append(place)
        self._enter(place)
        return place


def _subschemas(place: Place) -> Iterator[tuple[tuple[str, ...], Any]]:
    schema, dialect = place.value, place.dialect
    if not isinstance(schema, dict):
        return
    alone = place.lone_reference()
    for key, value in schema.items():
        if alone and key not in ("$defs", "definitions"):
            continue
        parts: Iterator[tuple[str, Any]] = iter(())
        if isinstance(value, dict) and (key in dialect.maps or (key == "dependencies" and dialect.dependencies)):
            parts = iter(value.items())
        elif isinstance(value, list) and (key in dialect.lists or key == "items"):
            parts = ((str(index), part) for index, part in enumerate(value))
        elif isinstance(value, dict | bool) and key in dialect.single:
            if key == "additionalItems" and not isinstance(schema.get("items"), list):
                continue  # it says nothing there and goes
            yield (key,), value
        yield from (((key, name), part) for name, part in parts if isinstance(part, dict | bool))


def _names(home: Place) -> list[str]:
    """The names that are taken in the `$defs` of a resource's root."""
    held = home.value.get("$defs") if isinstance(home.value, dict) else None
    return list(held) if isinstance(held, dict) else []


def _fresh(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


_PLAIN = "!$&'()*+,;=:@?~-._"
